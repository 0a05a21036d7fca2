// Finds a pattern in texts in a time that grows with their length, and never goes back: it follows all ways through the pattern at once.
// The sets of ways become states, which are kept, so most characters of a text cost one look-up (Thompson 1968; RE2).

import { type CharacterSet, hasCharacter, word } from './character-set.ts'
import type { Assertion, Pattern } from './pattern.ts'

/** Whether a text contains a match. */
export type Matcher = (text: string) => boolean

/** One place in the pattern: what it needs, and where it leads. The place 0 is the end. */
interface Place {
  readonly needs?: CharacterSet | Assertion
  next: readonly number[]
}

/** What is on one side of a place in the text. */
type Side = 'edge' | 'word' | 'other'

interface State {
  readonly places: readonly number[]
  readonly before: Side
  /** By the class of the next character; true: a match. The last one is for the end of the text. */
  readonly next: (State | boolean | undefined)[]
}

/** The most states that are kept; with more, all are forgotten. */
const maxStates = 200

/** Creates the search for a pattern. */
export function createMatcher(pattern: Pattern): Matcher {
  const places: Place[] = [{ next: [] }]
  const start = addPlaces(places, pattern, 0)
  const { classOf, samples } = divideCharacters(places)
  const states = new Map<string, State>()
  const intern = (reached: readonly number[], before: Side): State => {
    const key = `${before} ${reached.join()}`
    const known = states.get(key)
    if (known !== undefined) return known
    if (states.size >= maxStates) states.clear()
    const state = { places: reached, before, next: [] }
    states.set(key, state)
    return state
  }
  const step = ({ places: reached, before }: State, character: number | undefined): State | boolean => {
    const after = sideOf(character)
    const open = followFreely(places, reached, before, after)
    if (open.has(0)) return true
    if (character === undefined) return false
    const next = new Set([start])
    for (const index of open) {
      const { needs } = places[index]!
      if (Array.isArray(needs) && hasCharacter(needs, character)) next.add(places[index]!.next[0]!)
    }
    return intern(
      [...next].toSorted((one, other) => one - other),
      after,
    )
  }
  return text => {
    let state = intern([start], 'edge')
    for (let index = 0; ; index++) {
      const code = text.codePointAt(index)
      if (code !== undefined && code > 0xffff) index++
      const characters = code === undefined ? samples.length : classOf(code)
      state.next[characters] ??= step(state, samples[characters])
      const next = state.next[characters]
      if (typeof next === 'boolean') return next
      state = next
    }
  }
}

/** Adds the places of the pattern, from which a match goes on at `next`; returns the first one. */
function addPlaces(places: Place[], pattern: Pattern, next: number): number {
  const add = (place: Place) => places.push(place) - 1
  if (pattern.type === 'set') return add({ needs: pattern.set, next: [next] })
  if (pattern.type === 'assertion') return add({ needs: pattern.assertion, next: [next] })
  if (pattern.type === 'sequence')
    return pattern.parts.reduceRight((after, part) => addPlaces(places, part, after), next)
  if (pattern.type === 'alternation') return add({ next: pattern.parts.map(part => addPlaces(places, part, next)) })
  const { part, min, max } = pattern
  let first = next
  if (max === Infinity) {
    first = add({ next: [] })
    places[first]!.next = [addPlaces(places, part, first), next]
  } else for (let count = min; count < max; count++) first = add({ next: [addPlaces(places, part, first), next] })
  for (let count = 0; count < min; count++) first = addPlaces(places, part, first)
  return first
}

/** The places that are reached without a character. */
function followFreely(
  places: readonly Place[],
  reached: readonly number[],
  before: Side,
  after: Side,
): ReadonlySet<number> {
  const isMet: Readonly<Record<Assertion, boolean>> = {
    '^': before === 'edge',
    $: after === 'edge',
    '\\y': (before === 'word') !== (after === 'word'),
    '\\Y': (before === 'word') === (after === 'word'),
  }
  const found = new Set(reached)
  // The loop also visits what it adds.
  for (const index of found) {
    const { needs, next } = places[index]!
    if (needs === undefined || (typeof needs === 'string' && isMet[needs])) for (const each of next) found.add(each)
  }
  return found
}

const sideOf = (character: number | undefined): Side =>
  character === undefined ? 'edge' : hasCharacter(word, character) ? 'word' : 'other'

/** Divides the characters into classes that no set of the pattern divides further; `samples`: a character of each. */
function divideCharacters(places: readonly Place[]) {
  const sets = places.flatMap(({ needs }) => (Array.isArray(needs) ? [needs as CharacterSet] : []))
  const edges = [word, ...sets].flatMap(set => set.flatMap(([from, to]) => [from, to + 1]))
  const samples = [...new Set([0, ...edges])].toSorted((one, other) => one - other)
  const search = (character: number): number => {
    let [low, high] = [0, samples.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (samples[middle]! <= character) low = middle
      else high = middle
    }
    return low
  }
  const classes = Array.from({ length: 128 }, (_, character) => search(character))
  return { samples, classOf: (character: number): number => classes[character] ?? search(character) }
}
