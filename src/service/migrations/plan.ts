// The command `migrations plan`: what `migrate` would do, in words.

import {
  type Change,
  describeChanges,
  findBreaks,
  listBreaks,
  listStatements,
  type OwnedStepNames,
  replayUntil,
} from '#core'
import { CommandError } from '../processes/error-messages.ts'
import type { DeclaredOwner } from './owners.ts'

/** The steps of the owners that come after `owner/step`; undefined: all. Throws CommandError if there is no such step. */
export function listStepsAfter(
  owners: readonly DeclaredOwner[],
  after: readonly string[] = [],
): readonly OwnedStepNames[] {
  const ends = new Map(
    after.map(target => {
      const [name = '', step = ''] = target.split('/')
      if (owners.some(({ owner, steps }) => owner === name && Object.hasOwn(steps, step))) return [name, step]
      throw new CommandError(`--after ${target}: there is no such step`)
    }),
  )
  return owners.map(({ owner, steps }) => {
    const end = ends.get(owner)
    return {
      owner,
      steps: Object.keys(steps)
        .toSorted()
        .filter(step => end === undefined || step > end),
    }
  })
}

/** A paragraph for each step. `urls`: the databases whose SQL it contains, by their titles. */
export async function describeSteps(
  owners: readonly DeclaredOwner[],
  chosen: readonly OwnedStepNames[],
  urls: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const paragraphs: string[] = []
  for (const { owner, steps } of chosen)
    for (const step of steps) {
      const declared = owners.find(other => other.owner === owner)!
      const statements: string[] = []
      for (const [title, url] of Object.entries(urls)) {
        const own = await listStepStatements(declared, step, url)
        if (own.length > 0) statements.push(...(title === '' ? [] : [`${title}:`]), ...own)
      }
      paragraphs.push(
        [`${owner}/${step}`, ...describeMarked(declared, step), ...describeBreaks(declared, step), ...statements].join(
          '\n  ',
        ),
      )
    }
  return paragraphs
}

async function listStepStatements({ steps }: DeclaredOwner, name: string, url: string): Promise<readonly string[]> {
  const step = steps[name]!
  if (typeof step === 'function' || step.change === undefined) return []
  const statements = await listStatements(url, replayUntil(steps, name), step.change)
  return statements.map(statement => `  ${statement};`)
}

// Programs run beside each other while a new version is deployed.
function describeBreaks({ steps }: DeclaredOwner, name: string): readonly string[] {
  const step = steps[name]!
  const breaks = typeof step === 'function' ? [] : listBreaks(replayUntil(steps, name), step.change ?? [])
  return breaks.length === 0 ? [] : [`A program from before this step fails beside it: it ${breaks.join(', and ')}.`]
}

/** What a step does. */
export function describeStep({ steps }: Pick<DeclaredOwner, 'steps'>, name: string): readonly string[] {
  const step = steps[name]!
  if (typeof step === 'function') return ['runs its code']
  const lines = describeChanges(replayUntil(steps, name), step.change ?? [])
  return step.run === undefined ? lines : [...lines, lines.length === 0 ? 'runs its code' : 'then runs its code']
}

// A program from before an expanding change works on; one from before a contracting change does not.
function describeMarked(owner: DeclaredOwner, name: string): readonly string[] {
  const step = owner.steps[name]!
  const change = typeof step === 'function' ? [] : (step.change ?? [])
  const breaks = findBreaks(replayUntil(owner.steps, name), change)
  return describeStep(owner, name).map((line, index) =>
    index < change.length ? `${breaks[index] === undefined ? 'expand  ' : 'contract'}  ${line}` : line,
  )
}

/**
 * Why programs from before and after the steps cannot run beside each other, as sentences: a change that neither survives, or one that
 * takes from a table to which another step, or another change, of the same release adds.
 */
export const findRollingProblems = (
  owners: readonly DeclaredOwner[],
  chosen: readonly OwnedStepNames[],
): readonly string[] =>
  chosen.flatMap(({ owner, steps: names }) => {
    const { steps } = owners.find(other => other.owner === owner)!
    const [first] = names
    if (first === undefined) return []
    const placed = names.flatMap(name => {
      const step = steps[name]!
      return typeof step === 'function' ? [] : (step.change ?? []).map(change => ({ name, change }))
    })
    const changes = placed.map(({ change }) => change)
    const before = replayUntil(steps, first)
    const lines = describeChanges(before, changes)
    const expanded = new Set(changes.flatMap(listExpanded))
    return findBreaks(before, changes).flatMap((found, index) => {
      const { name, change } = placed[index]!
      const advice = found === undefined ? undefined : adviseRolling(change, expanded)
      return advice === undefined ? [] : [`${owner}/${name}: ${lines[index]}: ${advice}`]
    })
  })

/** The table to which a change adds what the program after it needs. */
function listExpanded(change: Change): readonly string[] {
  if ('addColumn' in change || ('alterColumn' in change && change.nullable === true)) return [change.table]
  return []
}

function adviseRolling(change: Change, expanded: ReadonlySet<string>): string | undefined {
  if ('renameTable' in change || 'renameColumn' in change)
    return 'programs need one name or the other: add the new one, copy the values, and drop the former one in a later release'
  if ('addColumn' in change)
    return 'let the column be null, or give it a default in the database, and change that in a later release'
  const table = 'dropTable' in change ? change.dropTable : 'table' in change ? change.table : undefined
  if (table === undefined || !expanded.has(table)) return undefined
  return `the same release adds to "${table}": leave this for a later release, when no program from before it runs`
}
