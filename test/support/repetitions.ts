// How much of what only raises confidence a run repeats. `npm run test:thorough` sets TEST_THOROUGH to 1.

/** Whether `npm run test:thorough` runs the tests. */
export const isThorough = process.env.TEST_THOROUGH === '1'

/** The number of repetitions: of `npm test`, and of `npm run test:thorough`. */
export const repetitions = (numbers: { readonly usual: number; readonly thorough: number }): number =>
  isThorough ? numbers.thorough : numbers.usual

/** The database of tests about pages, logins and headers, which do the same on either: the thorough run repeats them on the other one. */
export const eitherDatabase: 'SQLite' | 'PostgreSQL' = isThorough ? 'PostgreSQL' : 'SQLite'

/** The option `skip` of tests that only `npm run test:thorough` runs. */
export const skipUnlessThorough: string | false = isThorough ? false : 'npm run test:thorough runs it'

/** The number of random cases of a property: `npm test` tries a twentieth of those of `npm run test:thorough`. */
export const randomCases = (thorough: number): number => repetitions({ usual: Math.ceil(thorough / 20), thorough })
