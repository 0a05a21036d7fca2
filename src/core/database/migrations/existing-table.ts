// Explains why a step cannot create a table: another owner, or another program, has a table with this name.

import { UnusableDatabase } from '../unusable-database.ts'

/** A step tried to create a table that exists. Thrown inside the transaction, which is rolled back. */
export class ExistingTable extends Error {
  readonly owner: string
  readonly step: string
  readonly table: string
  /** The owners whose steps the database had applied before. */
  readonly earlierOwners: ReadonlySet<string>
  /** The owners whose steps this run applied, this owner included. */
  readonly currentOwners: ReadonlySet<string>

  constructor(
    details: Pick<ExistingTable, 'owner' | 'step' | 'table' | 'earlierOwners' | 'currentOwners'>,
    cause: unknown,
  ) {
    super(`the table "${details.table}" exists`, { cause })
    this.owner = details.owner
    this.step = details.step
    this.table = details.table
    this.earlierOwners = details.earlierOwners
    this.currentOwners = details.currentOwners
  }
}

/** Returns the error for the operator. `isOlder`: the database had the table before this run. */
export function explainExistingTable(error: ExistingTable, isOlder: boolean): UnusableDatabase {
  const { owner, step, table, cause } = error
  const problem = `the database already has a table "${table}", which the step "${step}" of "${owner}" creates`
  return new UnusableDatabase(`${problem}: ${findAdvice(error, isOlder)}`, { cause })
}

function findAdvice({ owner, earlierOwners, currentOwners }: ExistingTable, isOlder: boolean): string {
  if (!isOlder)
    return `a step of ${formatOwners(currentOwners)} has created it: choose another name for the table of "${owner}"`
  if (earlierOwners.size === 0) return 'it is the database of another program; use a different database'
  return `if it belongs to ${formatOwners(earlierOwners)}, choose another name for the table of "${owner}"; if it belongs to another program, use a different database`
}

const formatOwners = (owners: ReadonlySet<string>): string =>
  new Intl.ListFormat('en', { type: 'disjunction' }).format([...owners].map(owner => `"${owner}"`))
