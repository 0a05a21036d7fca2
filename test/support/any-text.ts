// Characters for property tests.

import fc from 'fast-check'

/**
 * Any Unicode character, for `fc.string({ unit: anyCharacter })`. Unlike the unit `binary`, it does not list all million
 * characters first, which takes each process seconds.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map(code => String.fromCodePoint(code))
