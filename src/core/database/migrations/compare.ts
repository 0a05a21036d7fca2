// Compares the steps of a program with those that a database has applied: by name, and by what they do.

import type { Dialect } from '../dialect.ts'
import { type AppliedStep, findOwner, findStepName } from './history.ts'
import type { LoadedMigrations, MigrationStep, OwnedStepNames } from './migrations.ts'
import type { MigrationPlan } from './plan.ts'
import { isComparable, outlineStep, type StepOutline } from './step-outline.ts'

/** The steps to run, and the problems that prevent it. */
export interface Comparison extends Omit<MigrationPlan, 'unknown'> {
  /** The steps to run. */
  readonly missing: readonly OwnedStepNames[]
  /** Steps that run no statement, and do not say that they need none. They are never recorded, so that they run once they have one. */
  readonly empty: readonly OwnedStepNames[]
  readonly mismatches: readonly Mismatch[]
  /** The digests of applied steps without one, by `owner/step`. */
  readonly digests: ReadonlyMap<string, string>
}

/** An applied step that is not in the program as it ran. */
export interface Mismatch {
  readonly owner: string
  readonly step: string
  readonly kind: 'changed' | 'renamed' | 'removed'
  /** The present name of a renamed step. */
  readonly newName?: string
  /** The present digest of a changed step. */
  readonly digest?: string
  readonly applied: AppliedStep
}

export interface CompareOptions {
  readonly owners: readonly LoadedMigrations[]
  readonly dialect: Dialect
  /** False: applied steps are compared by name only, unless steps are missing. */
  readonly comparesContents: boolean
}

export async function compareSteps(plan: MigrationPlan, options: CompareOptions): Promise<Comparison> {
  const { missing, empty } = await splitMissing(plan, options)
  const gone = await findGone(plan, missing, options)
  const newNames = new Set(gone.map(({ owner, newName }) => `${owner}/${newName}`))
  const withoutRenamed = selectSteps(missing, (owner, step) => !newNames.has(`${owner}/${step}`))
  const { changed, digests } =
    options.comparesContents || missing.length > 0
      ? await compareContents(plan, options)
      : { changed: [], digests: new Map<string, string>() }
  return { ...plan, missing: withoutRenamed, empty, mismatches: [...changed, ...gone], digests }
}

/** Tells the missing steps that run statements from those that run none. */
export async function splitMissing(
  { missing }: Pick<MigrationPlan, 'missing'>,
  options: Pick<CompareOptions, 'owners' | 'dialect'>,
): Promise<Pick<Comparison, 'missing' | 'empty'>> {
  const empty = new Set<string>()
  for (const { owner, steps } of missing)
    for (const step of steps) if ((await outline(owner, step, options)).isEmpty) empty.add(`${owner}/${step}`)
  const isIntended = (owner: string, step: string) => needsNoStatement(findStep(owner, step, options.owners))
  return {
    missing: selectSteps(missing, (owner, step) => !empty.has(`${owner}/${step}`)),
    empty: selectSteps(missing, (owner, step) => empty.has(`${owner}/${step}`) && !isIntended(owner, step)),
  }
}

/** Whether a step only joins others, or only says what others did. */
const needsNoStatement = (step: MigrationStep): boolean =>
  typeof step === 'object' && step.run === undefined && (step.state ?? step.after) !== undefined

const selectSteps = (
  owners: readonly OwnedStepNames[],
  isSelected: (owner: string, step: string) => boolean,
): readonly OwnedStepNames[] =>
  owners
    .map(({ owner, steps }) => ({ owner, steps: steps.filter(step => isSelected(owner, step)) }))
    .filter(({ steps }) => steps.length > 0)

export const findStep = (owner: string, step: string, owners: readonly LoadedMigrations[]): MigrationStep =>
  owners.find(other => other.owner === owner)!.steps[step]!

const outline = (
  owner: string,
  step: string,
  options: Pick<CompareOptions, 'owners' | 'dialect'>,
): Promise<StepOutline> => outlineStep(findStep(owner, step, options.owners), options.dialect)

// A missing step that does the same as one that is gone is the same step under a new name.
async function findGone(
  { unknown, applied }: MigrationPlan,
  missing: readonly OwnedStepNames[],
  options: CompareOptions,
): Promise<readonly Mismatch[]> {
  const found: Mismatch[] = []
  for (const { owner, steps } of unknown)
    for (const step of steps) {
      const record = applied.get(`${owner}/${step}`)!
      const candidates: string[] = []
      for (const candidate of missing.find(other => other.owner === owner)?.steps ?? [])
        if ((await outline(owner, candidate, options)).digest === record.digest) candidates.push(candidate)
      const [newName] = candidates
      const isRenamed =
        candidates.length === 1 && !found.some(other => other.owner === owner && other.newName === newName)
      found.push({
        owner,
        step,
        applied: record,
        ...(isRenamed ? { kind: 'renamed', newName: newName! } : { kind: 'removed' }),
      })
    }
  return found
}

async function compareContents(
  { applied }: MigrationPlan,
  options: CompareOptions,
): Promise<{ readonly changed: readonly Mismatch[]; readonly digests: ReadonlyMap<string, string> }> {
  const changed: Mismatch[] = []
  const digests = new Map<string, string>()
  for (const [name, record] of applied) {
    const [owner, step] = [findOwner(name), findStepName(name)]
    const steps = options.owners.find(other => other.owner === owner)?.steps ?? {}
    if (!Object.hasOwn(steps, step)) continue
    const { digest } = await outline(owner, step, options)
    if (record.digest === null || !isComparable(record.digest)) digests.set(name, digest)
    else if (![digest, ...listFormerDigests(steps[step]!)].includes(record.digest))
      changed.push({ owner, step, kind: 'changed', applied: record, digest })
  }
  return { changed, digests }
}

const listFormerDigests = (step: MigrationStep): readonly string[] =>
  typeof step === 'object' ? (step.formerDigests ?? []) : []
