// Whether a password is like a name of its owner: the rule of Django's UserAttributeSimilarityValidator.

/** The names of the owner of a password. */
export interface PasswordOwner {
  readonly username?: string | undefined
  readonly email?: string | undefined
}

/** A password with at least this share of common characters is too similar, as in Django. */
const maxSimilarity = 0.7

/** The first name of the owner that, as a whole or in one of its words, is too similar to the password. */
export function findSimilarName(password: string, owner: PasswordOwner): keyof PasswordOwner | undefined {
  const text = password.toLowerCase()
  return (['username', 'email'] as const).find(name => {
    const value = (owner[name] ?? '').toLowerCase()
    const parts = [...value.split(/[^\p{L}\p{N}_]+/u), value]
    return parts.some(
      part => part !== '' && !isNegligible(text, part) && measureSimilarity(text, part) >= maxSimilarity,
    )
  })
}

// A name that is much shorter than the password cannot make it easy to guess.
const isNegligible = ({ length }: string, part: string): boolean =>
  length >= 10 * part.length && part.length < (maxSimilarity / 2) * length

/** The share of characters that both texts have, in whatever order: `quick_ratio` of Python's `SequenceMatcher`. */
function measureSimilarity(first: string, second: string): number {
  const available = new Map<string, number>()
  for (const character of second) available.set(character, (available.get(character) ?? 0) + 1)
  let common = 0
  for (const character of first) {
    const count = available.get(character) ?? 0
    if (count > 0) common++
    available.set(character, count - 1)
  }
  return (2 * common) / ([...first].length + [...second].length)
}
