// The commands `migrations …`: their options, and where each finds the steps and the declared tables.

import type { Command } from 'commander'
import type { Database, OwnedMigrations, OwnedStepNames } from '#core'
import { print, warn } from '../logging/standard-streams.ts'
import type { NewStep } from '../migrations/new-step.ts'
import type { DeclaredOwner } from '../migrations/owners.ts'
import { CommandError } from '../processes/error-messages.ts'
import type { CommandSet } from './command-set.ts'
import { type CommonOptions, runCommand, runWithSettings } from './run-command.ts'

const from = '--from <file>'
const fromHelp = 'a program that exports the owner of tables, instead of a config file'

/** Adds `migrations` with its commands. */
export function addMigrations(set: CommandSet): void {
  const migrations = set.group('migrations', 'write and check the steps that make the declared tables')
  const command = (name: string, description: string) =>
    set.command(name, description, migrations).option(from, fromHelp)
  addMake(set, command)
  addBranchCommands(set, command)
  addDatabaseCommands(set, command)
  addRepairs(set, command)
}

type AddCommand = (name: string, description: string) => Command

function addMake(set: CommandSet, command: AddCommand): void {
  addAnswers(command('make', 'write the step that leads to the declared tables'))
    .option('--owner <name>', 'only the tables of this owner')
    .option('--name <name>', 'name of the step after its number; default: from its changes')
    .option('--existing', 'the step only says what earlier steps, which are functions, have done')
    .option('--no-input', 'ask nothing: print the flags that answer the questions, and exit with 3')
    .action(options =>
      withOwners(set, options, async owners => {
        const [{ makeSteps }, { promptAt }] = await Promise.all([
          import('../migrations/make.ts'),
          import('../migrations/ask.ts'),
        ])
        const isTerminal = process.stdin.isTTY && process.stderr.isTTY && process.env.NODE_ENV !== 'production'
        const { steps, questions } = await makeSteps(
          owners,
          options,
          options.input && isTerminal ? promptAt(process.stdin, process.stderr) : undefined,
        )
        for (const question of questions) warn(question)
        if (questions.length > 0) process.exitCode = 3
        else printSteps(steps, 'Nothing to write: the steps make the declared tables.')
      }),
    )
}

function addBranchCommands(set: CommandSet, command: AddCommand): void {
  command('check', 'exit with 1 if make would write a step, or if there are two ends').action(options =>
    withOwners(set, options, async owners => {
      const { listProblems } = await import('../migrations/check-steps.ts')
      const problems = owners.flatMap(listProblems)
      print(`${problems.length === 0 ? 'No problems: the steps make the declared tables.' : problems.join('\n')}\n`)
      if (problems.length > 0) process.exitCode = 1
    }),
  )

  command('merge', 'join two branches of steps that change different tables').action(options =>
    withOwners(set, options, async owners => {
      const { mergeBranches } = await import('../migrations/merge.ts')
      printSteps(mergeBranches(owners), 'Nothing to merge: no owner has two ends.')
    }),
  )

  command('squash <owner>', 'write one step instead of many, for new databases').action((owner, options) =>
    withOwners(set, options, async owners => {
      const [{ squashSteps }, { findOwner }] = await Promise.all([
        import('../migrations/squash.ts'),
        import('../migrations/owners.ts'),
      ])
      printSteps([squashSteps(findOwner(owners, owner))], '')
    }),
  )
}

function addDatabaseCommands(set: CommandSet, command: AddCommand): void {
  command('plan', 'what "migrate" would do; with --database both, without a database')
    .option('--sql', 'with the statements')
    .option('--after <step>', 'with --database both: only the steps after <owner>/<step>; repeatable', collect)
    .option('--rolling', 'exit with 1 if programs from before and after the steps cannot run beside each other')
    .action(options => planMigrations(set, options))

  command('status', 'list the steps, and whether the database has applied them').action(options =>
    withDatabase(set, options, async (database, owners) => {
      const { describeStatus } = await import('../migrations/status.ts')
      print(`${(await describeStatus(database, owners)).join('\n')}\n`)
    }),
  )

  command('back <step>', 'take back the steps after <owner>/<step>, or all of an <owner>')
    .option('--lose-data', 'also lose the rows and values of what the steps created')
    .option(...fillOption)
    .action((step, options) =>
      withDatabase(set, options, async (database, owners) => {
        const { takeBack } = await import('../migrations/back.ts')
        await takeBack(database, owners, step, { ...options, report: warn })
      }),
    )
}

interface PlanOptions extends OwnerOptions {
  readonly sql?: boolean
  readonly after?: readonly string[]
  readonly rolling?: boolean
}

async function planMigrations(set: CommandSet, { database, ...options }: PlanOptions): Promise<void> {
  const { after } = options
  const url = database ?? (options.from === undefined ? undefined : process.env.DATABASE_URL)
  const needsNone = database === 'both' || (options.from !== undefined && url === undefined)
  if (!needsNone && after !== undefined)
    return runCommand(async () => {
      throw new CommandError('--after: a database knows which steps it has applied: add --database both')
    })
  if (needsNone)
    return withOwners(set, options, async owners => {
      const { anyPostgres } = await import('#core')
      const { listStepsAfter } = await import('../migrations/plan.ts')
      const urls = { SQLite: 'sqlite::memory:', PostgreSQL: anyPostgres }
      await printPlan(owners, listStepsAfter(owners, after), urls, options)
    })
  return withDatabase(
    set,
    { ...options, ...(database !== undefined && { database }) },
    async (opened, owned, present) => {
      const { inspectMigrations } = await import('#core')
      const { readOwners } = await import('../migrations/owners.ts')
      const owners = await readOwners(owned)
      const { missing } = await inspectMigrations(opened, owners)
      await printPlan(owners, missing, { '': present }, options)
    },
  )
}

async function printPlan(
  owners: readonly DeclaredOwner[],
  steps: readonly OwnedStepNames[],
  urls: Readonly<Record<string, string>>,
  { sql = false, rolling = false }: Pick<PlanOptions, 'sql' | 'rolling'>,
): Promise<void> {
  const { describeSteps, findRollingProblems } = await import('../migrations/plan.ts')
  const paragraphs = await describeSteps(owners, steps, sql ? urls : {})
  print(`${paragraphs.length === 0 ? 'The database is up to date.' : paragraphs.join('\n')}\n`)
  const problems = rolling ? findRollingProblems(owners, steps) : []
  for (const problem of problems) warn(problem)
  if (problems.length > 0) process.exitCode = 1
}

function addRepairs(set: CommandSet, command: AddCommand): void {
  command('repair', 'go on with steps that were interrupted, and run no other one')
    .option(
      '--accept <step>',
      'an applied step, as <owner>/<step>, that has changed and still does the same; repeatable',
      collect,
    )
    .action(options =>
      withDatabase(set, options, async (database, owners) => {
        const { repairSteps } = await import('../migrations/repair.ts')
        const sentences = await repairSteps(database, owners, options.accept)
        print(`${sentences.length === 0 ? 'Nothing to repair.' : sentences.join('\n')}\n`)
      }),
    )

  command(
    'baseline <step>',
    'record the steps up to <owner>/<step> without running them, if their tables exist',
  ).action((step, options) =>
    withDatabase(set, options, async (database, owners) => {
      const { recordSteps } = await import('../migrations/baseline.ts')
      print(`${(await recordSteps(database, owners, step)).join('\n')}\n`)
    }),
  )
}

const printSteps = (steps: readonly NewStep[], otherwise: string) =>
  print(
    `${steps.length === 0 ? otherwise : steps.map(({ path, lines }) => [path, ...lines].join('\n  ')).join('\n')}\n`,
  )

const addAnswers = (command: Command): Command =>
  command
    .option('--rename <names>', 'a new name, such as articles.body=articles.text; repeatable', collect)
    .option('--drop <name>', 'a table or column whose data may be lost, such as articles.body; repeatable', collect)
    .option(...fillOption)

const fillOption = [
  '--fill <value>',
  'the value of existing rows, such as articles.state=draft; repeatable',
  (value: string, values?: string[]) => collect(value, values),
] as const

const collect = (value: string, values: string[] = []) => [...values, value]

interface OwnerOptions extends CommonOptions {
  readonly from?: string
}

/** Runs a command that needs the steps and the declared tables, but no database. */
async function withOwners(
  set: CommandSet,
  options: OwnerOptions,
  run: (owners: readonly DeclaredOwner[]) => Promise<void>,
): Promise<void> {
  const { readOwners } = await import('../migrations/owners.ts')
  if (options.from !== undefined) {
    const file = options.from
    const { importOwners } = await import('./import-owners.ts')
    return runCommand(async () => run(await readOwners(await importOwners(file))))
  }
  const { listProfileOwners } = await import('../services.ts')
  return runWithSettings(set.from(options), async settings => run(await readOwners(listProfileOwners(settings))))
}

/** Runs a command that reads or changes a database, which must exist. */
async function withDatabase(
  set: CommandSet,
  options: OwnerOptions,
  run: (database: Database, owners: readonly OwnedMigrations[], url: string) => Promise<void>,
): Promise<void> {
  const { openExisting, openServicesForTables } = await import('./open-existing.ts')
  if (options.from === undefined)
    return runWithSettings(set.from(options), async settings => {
      const services = openServicesForTables(settings)
      try {
        await run(services.database, services.owners, settings.databaseUrl)
      } finally {
        await services.close()
      }
    })
  const { importOwners } = await import('./import-owners.ts')
  return runCommand(async () => {
    const owners = await importOwners(options.from!)
    const url = options.database ?? process.env.DATABASE_URL
    const database = openExisting(url)
    try {
      await run(database, owners, url!)
    } finally {
      await database.close()
    }
  })
}
