// The names of operations and components: words of letters and digits, which every generator accepts.

/** `order lines` becomes `OrderLines`; other characters than ASCII letters and digits separate words. */
export const formatTypeName = (...texts: readonly string[]): string =>
  startWithLetter(texts.flatMap(listWords).join(''))

/** `list`, `order lines` becomes `listOrderLines`. */
export function formatFunctionName(...texts: readonly string[]): string {
  const name = texts.flatMap(listWords).join('')
  const start = startWithLetter(name.charAt(0).toLowerCase() + name.slice(1))
  return reservedWords.has(start) ? `${start}_` : start
}

/** The name, with the first number that makes it free if it is taken: `Order`, `Order2`. */
export function findFreeName(name: string, isTaken: (name: string) => boolean): string {
  let free = name
  for (let number = 2; isTaken(free); number++) free = `${name}${number}`
  return free
}

// Names on the wire may be any text. Accents are removed, because names without them are easier to type.
const listWords = (text: string): readonly string[] =>
  (removeAccents(text).match(/[A-Za-z0-9]+/g) ?? []).map(word => word.charAt(0).toUpperCase() + word.slice(1))

const removeAccents = (text: string): string =>
  /[^ -~]/.test(text) ? text.normalize('NFKD').replace(/\p{M}/gu, '') : text

const startWithLetter = (name: string): string => (/^[A-Za-z]/.test(name) ? name : `_${name}`)

// Words that are reserved in a language of a client generator, and members that every JavaScript object or promise has.
const reservedWords = new Set(
  `abstract alias and any args arguments as assert async auto await base begin bool boolean break byte case catch char
  chan class const constructor continue debugger def default defer del delete do double dynamic elif else end ensure enum
  eval event except exec explicit export extends extern fallthrough False final finally fixed float fn for foreach from func
  function global go goto if impl implements implicit import in inline instanceof int interface internal is it lambda let
  lock long loop map match mod module move mut namespace native new nil None nonlocal not null object of operator or out
  override package params pass print private protected protocol pub public raise range readonly ref register required
  rescue retry return sealed select self short signed sizeof static string struct super switch synchronized then this throw
  throws trait transient true True try type typedef typeof undef union unless unsafe until use using valueOf var virtual
  void volatile when where while with yield`.split(/\s+/),
)
