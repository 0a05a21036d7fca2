import type { OwnedStepNames } from '#core'

/** Formats the names of steps: `shop/0001_first, shop/0002_state`. */
export const formatSteps = (owners: readonly OwnedStepNames[]): string =>
  owners.flatMap(({ owner, steps }) => steps.map(step => `${owner}/${step}`)).join(', ')
