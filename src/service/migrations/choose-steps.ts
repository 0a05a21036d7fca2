// Chooses which of the missing steps `migrate` runs.

import { compareMigrations, type Database, type OwnedMigrations } from '#core'
import { CommandError } from '../processes/error-messages.ts'
import { listProblems } from './check-steps.ts'
import { type DeclaredOwner, readOwners } from './owners.ts'
import { describeStep } from './plan.ts'

/** The owners up to that of the step `owner/step`, without its later steps. Throws CommandError if there is no such step. */
export async function stopAfter(
  database: Database,
  owners: readonly OwnedMigrations[],
  target: string,
): Promise<readonly OwnedMigrations[]> {
  const [name = '', step = ''] = target.split('/')
  const index = owners.findIndex(({ owner }) => owner === name)
  if (index === -1)
    throw new CommandError(`there is no owner "${name}"; the owners are ${owners.map(({ owner }) => owner).join(', ')}`)
  const [owner] = await readOwners(owners.slice(index, index + 1))
  if (!Object.hasOwn(owner!.steps, step)) throw new CommandError(`"${name}" has no step "${step}"`)
  const later = (await listMissing(database, owner!)).filter(other => other > step)
  return [...owners.slice(0, index), omitSteps(owner!, later)]
}

export interface ReadyOwners {
  readonly owners: readonly OwnedMigrations[]
  readonly sentences: readonly string[]
}

/** Whether to apply a step that seems to be half written. The text says why, and what the step does. */
export type ConfirmStep = (text: string) => Promise<boolean>

/**
 * Leaves out the newest step of each owner whose steps do not make the declared tables, unless it is confirmed: a person is still
 * writing it. If the database has applied it, the owner stays as it is.
 */
export async function omitHalfWritten(
  database: Database,
  owners: readonly OwnedMigrations[],
  confirm: ConfirmStep = async () => false,
): Promise<ReadyOwners> {
  const ready: OwnedMigrations[] = []
  const sentences: string[] = []
  for (const owner of await readOwners(owners)) {
    const problems = listProblems(owner)
    const newest = Object.keys(owner.steps).toSorted().at(-1)
    if (problems.length === 0 || newest === undefined) {
      ready.push(omitSteps(owner, []))
      sentences.push(...problems)
      continue
    }
    const isMissing = (await listMissing(database, owner)).includes(newest)
    const name = `${owner.owner}/${newest}`
    const plan = describeStep(owner, newest)
    if (isMissing && (await confirm([...problems, [name, ...plan].join('\n  ')].join('\n')))) {
      ready.push(omitSteps(owner, []))
      continue
    }
    sentences.push(...problems)
    if (!isMissing) continue
    ready.push(omitSteps(owner, [newest]))
    const waiting = `${name} waits until the steps make the declared tables; or run "resource-api migrate"`
    sentences.push([waiting, ...plan].join('\n  '))
  }
  return { owners: ready, sentences }
}

/** The owners without the steps that the database lacks. */
export const omitMissing = async (
  database: Database,
  owners: readonly OwnedMigrations[],
): Promise<readonly OwnedMigrations[]> =>
  Promise.all((await readOwners(owners)).map(async owner => omitSteps(owner, await listMissing(database, owner))))

const omitSteps = ({ owner, steps }: DeclaredOwner, names: readonly string[]): OwnedMigrations => ({
  owner,
  steps: Object.fromEntries(Object.entries(steps).filter(([name]) => !names.includes(name))),
})

async function listMissing(database: Database, owner: DeclaredOwner): Promise<readonly string[]> {
  const { missing } = await compareMigrations(database, [owner])
  return missing.flatMap(({ steps }) => steps)
}
