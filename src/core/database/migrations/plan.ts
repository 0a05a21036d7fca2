// Decides from the history of a database which steps to run, in which order, and which recorded names to replace. Changes nothing.

import { UnusableDatabase } from '../unusable-database.ts'
import { type AppliedStep, findOwner, findStepName, type History, hasStepsOf } from './history.ts'
import type { LoadedMigrations, MigrationStep, OwnedStepNames } from './migrations.ts'
import { findReplacement } from './replay-steps.ts'

/** Names are `owner/step`, except the keys of `carriedOver`. */
export interface MigrationPlan {
  /** All steps that the database has applied, by their current names. */
  readonly applied: ReadonlyMap<string, AppliedStep>
  /** Former names in the history, with the current names. */
  readonly renamed: ReadonlyMap<string, string>
  /** Steps with which a database need not run many others: their names, with the applied steps that they replace. */
  readonly replaced: ReadonlyMap<string, readonly string[]>
  /** Names in the table of earlier versions, which had no owners, with the current names. */
  readonly carriedOver: ReadonlyMap<string, string>
  readonly missing: readonly OwnedStepNames[]
  /** Applied steps that their owner does not have. */
  readonly unknown: readonly OwnedStepNames[]
}

/** Throws UnusableDatabase if a step replaces others of which only some were applied, or if it is unclear to which owner a step in the table of earlier versions belongs. */
export function planMigration(history: History, owners: readonly LoadedMigrations[]): MigrationPlan {
  const names = history.steps.map(({ name }) => name)
  const renamed = findRenamed(names, owners)
  const replaced = findReplaced(names, owners)
  const gone = new Set([...replaced.values()].flat())
  const carriedOver = findCarriedOver(history, owners)
  const applied = new Map(
    [
      ...history.steps
        .filter(({ name }) => !gone.has(name))
        .map(step => ({ ...step, name: renamed.get(step.name) ?? step.name })),
      ...[...replaced.keys(), ...carriedOver.values()].map(name => ({
        name,
        applied: '',
        digest: null,
        creations: null,
        unfinished: [],
      })),
    ].map(step => [step.name, step] as const),
  )
  const findMissing = ({ owner, steps }: LoadedMigrations) =>
    Object.keys(steps)
      .toSorted()
      .filter(step => !applied.has(`${owner}/${step}`))
  const findUnknown = ({ owner, steps }: LoadedMigrations) =>
    [...applied.keys()]
      .filter(name => findOwner(name) === owner)
      .map(findStepName)
      .filter(step => !Object.hasOwn(steps, step))
  return {
    applied,
    ...{ renamed, replaced, carriedOver },
    missing: groupByOwner(owners, findMissing),
    unknown: groupByOwner(owners, findUnknown),
  }
}

const groupByOwner = (
  owners: readonly LoadedMigrations[],
  find: (owner: LoadedMigrations) => readonly string[],
): readonly OwnedStepNames[] =>
  owners.map(owner => ({ owner: owner.owner, steps: find(owner) })).filter(({ steps }) => steps.length > 0)

function findRenamed(names: readonly string[], owners: readonly LoadedMigrations[]): ReadonlyMap<string, string> {
  const renamed = owners.flatMap(({ owner, steps }) =>
    Object.entries(steps).flatMap(([step, { formerNames = [] }]) => {
      const former = formerNames.find(name => !Object.hasOwn(steps, name) && names.includes(`${owner}/${name}`))
      const isApplied = former === undefined || names.includes(`${owner}/${step}`)
      return isApplied ? [] : [[`${owner}/${former}`, `${owner}/${step}`] as const]
    }),
  )
  return new Map(renamed)
}

function findReplaced(
  names: readonly string[],
  owners: readonly LoadedMigrations[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  for (const { owner, steps } of owners)
    for (const [step, declared] of Object.entries(steps)) {
      const replaces = typeof declared === 'object' ? (declared.replaces ?? []) : []
      const [done = [], missing = []] = [true, false].map(isApplied =>
        replaces.filter(name => names.includes(`${owner}/${name}`) === isApplied),
      )
      if (done.length === 0 || names.includes(`${owner}/${step}`)) continue
      if (missing.length > 0)
        throw new UnusableDatabase(
          `the database has applied only some of the steps that "${step}" of "${owner}" replaces, and not ${missing.join(', ')}: migrate it with the program from before they were squashed`,
        )
      found.set(
        `${owner}/${step}`,
        done.map(name => `${owner}/${name}`),
      )
    }
  return found
}

// Once an owner has a history, the other table can only have steps of a different program with the same names.
function findCarriedOver(
  { steps, withoutOwner }: History,
  owners: readonly LoadedMigrations[],
): ReadonlyMap<string, string> {
  const claimants = owners.filter(({ owner }) => !hasStepsOf(owner, steps))
  return new Map(
    withoutOwner.flatMap(name => {
      const [claim, ...others] = findClaims(name, claimants)
      if (claim === undefined) return []
      if (others.length === 0) return [[name, claim] as const]
      throw new UnusableDatabase(
        `the database has applied the step "${name}", which can be ${[claim, ...others].join(' or ')}: migrate it once with only the owner that applied it`,
      )
    }),
  )
}

// A current name takes precedence: a step of an application is not mistaken for a renamed step of a library.
function findClaims(name: string, owners: readonly LoadedMigrations[]): readonly string[] {
  const current = owners.filter(({ steps }) => Object.hasOwn(steps, name)).map(({ owner }) => `${owner}/${name}`)
  if (current.length > 0) return current
  return owners.flatMap(({ owner, steps }) =>
    Object.entries(steps)
      .filter(([, { formerNames = [] }]) => formerNames.includes(name))
      .map(([step]) => `${owner}/${step}`),
  )
}

/** A step of an owner. */
export interface StepName {
  readonly owner: string
  readonly step: string
}

/**
 * The missing steps in their order: owner by owner, and each after the steps of other owners that it uses. Throws UnusableDatabase if
 * the database has not applied a used step and no owner has it, or if steps use each other in a circle.
 */
export function orderSteps(
  { missing, applied }: Pick<MigrationPlan, 'missing' | 'applied'>,
  owners: readonly LoadedMigrations[],
): readonly StepName[] {
  const ordered: StepName[] = []
  let waiting = missing.flatMap(({ owner, steps }) => steps.map(step => ({ owner, step })))
  const isNextOfOwner = (each: StepName) => waiting.find(({ owner }) => owner === each.owner) === each
  const isWaiting = (name: string) => waiting.some(({ owner, step }) => `${owner}/${step}` === name)
  while (waiting.length > 0) {
    const candidates = waiting.filter(isNextOfOwner)
    const next = candidates.find(each => !listUsed(each, applied, owners).some(isWaiting))
    if (next === undefined) throw createCircle(candidates.map(({ owner, step }) => `${owner}/${step}`))
    ordered.push(next)
    waiting = waiting.filter(each => each !== next)
  }
  return ordered
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
