// The order of missing steps: owner by owner, and each after the steps of other owners that it uses.

import { UnusableDatabase } from '../unusable-database.ts'
import { findOwner, findStepName } from './history.ts'
import type { LoadedMigrations, MigrationStep } from './migrations.ts'
import type { MigrationPlan } from './plan.ts'
import { findReplacement } from './replay-steps.ts'

/** A step of an owner. */
export interface StepName {
  readonly owner: string
  readonly step: string
}

/**
 * Throws UnusableDatabase if a step uses one that the database has not applied and no owner has, or if steps use each other in a
 * circle.
 */
export function orderSteps(
  { missing, applied }: Pick<MigrationPlan, 'missing' | 'applied'>,
  owners: readonly LoadedMigrations[],
): readonly StepName[] {
  const ordered: StepName[] = []
  const waiting = missing.map(({ owner, steps }) => ({ owner, steps: [...steps] }))
  const isWaiting = (name: string) =>
    waiting.some(({ owner, steps }) => owner === findOwner(name) && steps.includes(findStepName(name)))
  for (;;) {
    const open = waiting.filter(({ steps }) => steps.length > 0)
    if (open.length === 0) return ordered
    const next = open.find(({ owner, steps: [step] }) =>
      listUsed({ owner, step: step! }, applied, owners).every(used => !isWaiting(used)),
    )
    if (next === undefined) throw createCircle(open.map(({ owner, steps: [step] }) => `${owner}/${step}`))
    ordered.push({ owner: next.owner, step: next.steps.shift()! })
  }
}

/** The steps of other owners that a step uses, as `owner/step`, by their current names. */
function listUsed(
  { owner, step }: StepName,
  applied: MigrationPlan['applied'],
  owners: readonly LoadedMigrations[],
): readonly string[] {
  const declared: MigrationStep = owners.find(each => each.owner === owner)!.steps[step]!
  return (typeof declared === 'object' ? (declared.uses ?? []) : []).map(name => {
    if (applied.has(name)) return name
    const steps = owners.find(each => each.owner === findOwner(name))?.steps ?? {}
    const current = findReplacement(findStepName(name), steps)
    if (Object.hasOwn(steps, current)) return `${findOwner(name)}/${current}`
    throw new UnusableDatabase(
      `the step "${step}" of "${owner}" uses "${name}", which the database has not applied and no owner has: correct the name, or migrate its owner too`,
    )
  })
}

const createCircle = (names: readonly string[]): UnusableDatabase =>
  new UnusableDatabase(`the steps ${names.join(' and ')} wait for each other: correct "uses" of one of them`)
