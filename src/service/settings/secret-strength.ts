const fewestBits = 100
const placeholder = /secret|insecure|password|change.?me|example|default|development|12345678|qwerty|abcdefgh/i
const repetition = /^(.{1,16})\1+$/

/**
 * Could somebody guess it? A secret of few different characters, or one that a person wrote to be replaced. Bits are
 * those of Shannon's entropy of its characters: 32 random bytes in base64 have about 210, as have 32 random words.
 */
export function isWeakSecret(secret: string): boolean {
  const counts = Map.groupBy(secret, character => character)
  const bits = [...counts.values()].reduce((sum, { length }) => sum + length * Math.log2(secret.length / length), 0)
  return bits < fewestBits || placeholder.test(secret) || repetition.test(secret)
}
