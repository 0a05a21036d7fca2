// SipHash-2-4 with 128 bits (Aumasson and Bernstein, "SipHash: a fast short-input PRF"): a digest that nobody can predict without
// the key. WebAssembly has the 64-bit arithmetic that it consists of. The module is assembled here from its instructions.

declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
}

/** The maximum length of a text, in UTF-16 units. */
export const maxTextLength = 20_000

/** Creates the function that computes the digest of a text's UTF-8: 16 characters of base64url, one per byte. `key`: 16 bytes. */
export function createSipHash(key: Uint8Array): (text: string) => string {
  const { memory, hash } = new WebAssembly.Instance(new WebAssembly.Module(assemble())).exports as {
    readonly memory: { readonly buffer: ArrayBuffer }
    readonly hash: (length: number) => void
  }
  writeState(new DataView(memory.buffer, stateAt), key)
  const encoder = new TextEncoder()
  const input = new Uint8Array(memory.buffer, textAt)
  const output = new Uint8Array(memory.buffer, 0, 16)
  // The last 6 bits of a byte. Encoding all 128 bits with `Buffer` takes as long as the digest of 150 characters.
  const at = (index: number) => alphabet[output[index]! & 63]!
  return text => {
    hash(encoder.encodeInto(text, input).written)
    // biome-ignore format: one row
    return String.fromCharCode(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9), at(10), at(11), at(12), at(13), at(14), at(15))
  }
}

const alphabet = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')

// The memory: the output, the state before the first word, and the text.
const stateAt = 16
const textAt = 48

// The constants spell "somepseudorandomlygeneratedbytes"; the second one is changed for 128 bits.
const initialState = [0x736f6d6570736575n, 0x646f72616e646f83n, 0x6c7967656e657261n, 0x7465646279746573n]

function writeState(state: DataView, key: Uint8Array): void {
  const { buffer, byteOffset } = key
  const words = new DataView(buffer, byteOffset, 16)
  for (const [index, constant] of initialState.entries())
    state.setBigUint64(index * 8, constant ^ words.getBigUint64((index % 2) * 8, true), true)
}

type Code = readonly number[]

// The types and instructions of WebAssembly (https://webassembly.github.io/spec/core/binary/instructions.html). All constants are
// below 64, so that each takes one byte, but for `long`.
const [i32, i64] = [0x7f, 0x7e]
const get = (local: number): Code => [0x20, local]
const set = (local: number, value: Code): Code => [...value, 0x21, local]
const int = (value: number): Code => [0x41, value & 0x7f]
const long = (value: number): Code => (value < 64 ? [0x42, value] : [0x42, (value & 0x7f) | 0x80, value >> 7])
const addInt = (left: Code, right: Code): Code => [...left, ...right, 0x6a]
const andInt = (left: Code, right: Code): Code => [...left, ...right, 0x71]
const isNotBelow = (left: Code, right: Code): Code => [...left, ...right, 0x4f]
const add = (left: Code, right: Code): Code => [...left, ...right, 0x7c]
const or = (left: Code, right: Code): Code => [...left, ...right, 0x84]
const xor = (left: Code, right: Code): Code => [...left, ...right, 0x85]
const shiftLeft = (value: Code, bits: number): Code => [...value, ...long(bits), 0x86]
const rotateLeft = (value: Code, bits: number): Code => [...value, ...long(bits), 0x89]
const toLong = (value: Code): Code => [...value, 0xad]
const load = (address: Code, offset = 0): Code => [...address, 0x29, 0, offset]
const store = (address: Code, value: Code, offset = 0): Code => [...address, ...value, 0x37, 0, offset]
const block = (...body: readonly Code[]): Code => [0x02, 0x40, ...body.flat(), 0x0b]
const loop = (...body: readonly Code[]): Code => [0x03, 0x40, ...body.flat(), 0x0b]
const breakIf = (depth: number, condition: Code): Code => [...condition, 0x0d, depth]
const repeat = (depth: number): Code => [0x0c, depth]

// The locals of the function: its parameter, the text that is left, the current word, and the four words of the state.
const [length, position, end, word, v0, v1, v2, v3] = [0, 1, 2, 3, 4, 5, 6, 7] as const
const state = [v0, v1, v2, v3]

const mix = (left: number, right: number, bits: number): Code => [
  ...set(left, add(get(left), get(right))),
  ...set(right, xor(rotateLeft(get(right), bits), get(left))),
]

const halve = (local: number): Code => set(local, rotateLeft(get(local), 32))

const round: Code = [
  ...mix(v0, v1, 13),
  ...halve(v0),
  ...mix(v2, v3, 16),
  ...mix(v0, v3, 21),
  ...mix(v2, v1, 17),
  ...halve(v2),
]

const compress: Code = [...set(v3, xor(get(v3), get(word))), ...round, ...round, ...set(v0, xor(get(v0), get(word)))]

const finish = (local: number, constant: number, offset: number): Code => [
  ...set(local, xor(get(local), long(constant))),
  ...[round, round, round, round].flat(),
  ...store(int(0), xor(xor(get(v0), get(v1)), xor(get(v2), get(v3))), offset),
]

const hashFunction: Code = [
  // Two locals of 32 bits and five of 64 bits.
  ...[2, 2, i32, 5, i64],
  // The last word ends with zeros and the length.
  ...store(addInt(get(length), int(textAt)), long(0)),
  ...state.flatMap((local, index) => set(local, load(int(0), stateAt + index * 8))),
  ...set(position, int(textAt)),
  ...set(end, addInt(int(textAt), andInt(get(length), int(-8)))),
  ...block(
    loop(
      breakIf(1, isNotBelow(get(position), get(end))),
      set(word, load(get(position))),
      compress,
      set(position, addInt(get(position), int(8))),
      repeat(0),
    ),
  ),
  ...set(word, or(load(get(position)), shiftLeft(toLong(get(length)), 56))),
  ...compress,
  ...finish(v2, 0xee, 0),
  ...finish(v1, 0xdd, 8),
  0x0b,
]

const section = (id: number, content: Code): Code => [id, ...toBytes(content.length), ...content]

/** LEB128. */
const toBytes = (value: number): Code => (value < 128 ? [value] : [(value & 0x7f) | 0x80, ...toBytes(value >> 7)])

const name = (text: string): Code => [text.length, ...Buffer.from(text)]

const assemble = (): Uint8Array =>
  Uint8Array.from([
    ...[0, ...Buffer.from('asm'), 1, 0, 0, 0],
    // One type, of a function that takes the length of the text and returns nothing.
    ...section(1, [1, 0x60, 1, i32, 0]),
    ...section(3, [1, 0]),
    // One page of memory, of 64 KiB.
    ...section(5, [1, 0, 1]),
    ...section(7, [2, ...name('memory'), 2, 0, ...name('hash'), 0, 0]),
    ...section(10, [1, ...toBytes(hashFunction.length), ...hashFunction]),
  ])
