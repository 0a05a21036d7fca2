// The command line: `resource-api <command>`; in the repository `npm run -s cli -- <command>`. Each command
// loads its modules when it runs.

import { Command, Option } from 'commander'
import { print, warn } from '../logging/standard-streams.ts'
import type { Services } from '../services.ts'
import type { ServiceOptions } from '../settings/settings.ts'
import type { CommandSet } from './command-set.ts'
import { addMigrations } from './migrations.ts'
import { runCommand, runWithServices, runWithSettings } from './run-command.ts'

export interface CommandLineOptions {
  /** Loads the config that applies if there is no config file; default: a service without profiles. */
  readonly loadDefault?: () => Promise<ServiceOptions>
  /** Commands in addition to those of the service. */
  readonly commands?: readonly (FurtherCommand | StandaloneCommand)[]
}

/** A command of the application, which reads its arguments itself. */
export interface FurtherCommand {
  readonly name: string
  /** The arguments, as the help shows them: `<folder>`. */
  readonly usage: string
  readonly description: string
  /** Runs with the services of the config file, which are closed when the promise settles. */
  run(args: readonly string[], context: CommandContext): Promise<void>
}

/** A command that needs no config file. It also reads `--help`. */
export interface StandaloneCommand extends Omit<FurtherCommand, 'run'> {
  readonly standalone: true
  run(args: readonly string[]): Promise<void>
}

export interface CommandContext {
  readonly services: Services
}

/** Runs the command of `process.argv`. If it fails, prints the error and sets the exit code to 1. */
export async function runCommandLine({
  loadDefault = async () => ({}),
  commands = [],
}: CommandLineOptions = {}): Promise<void> {
  const program = new Command('resource-api')
    .description(
      'Serves HTTP APIs of users, groups and the profiles of the config file. docs/settings.md in the package resource-api lists the settings.',
    )
    .configureOutput({ writeOut: print, writeErr: text => warn(text.trimEnd()) })
    .showHelpAfterError()

  const commandSet: CommandSet = {
    group: (name, description) => program.command(name).description(description).showHelpAfterError(),
    command: (name, description, parent = program) =>
      parent
        .command(name)
        .description(description)
        .option('--database <url>', 'sqlite:<path> or postgres://…')
        .option('--config <file>', 'config file; default: resource-api.config.ts, if it exists'),
    from: options => ({ options, loadDefault }),
  }
  addServing(commandSet)
  addJobs(commandSet)
  addDatabase(commandSet)
  addMigrations(commandSet)
  addDescription(commandSet)
  addAccounts(commandSet)
  addData(commandSet)
  for (const command of commands) addFurther(program, commandSet, command)
  await program.parseAsync()
}

function addFurther(
  program: Command,
  { command, from }: CommandSet,
  further: FurtherCommand | StandaloneCommand,
): void {
  const { name, usage, description } = further
  if (program.commands.some(other => other.name() === name))
    throw new Error(`runCommandLine(): there is a command "${name}" already: choose another name`)
  if ('standalone' in further)
    program
      .command(`${name} [arguments...]`)
      .usage(usage)
      .description(description)
      .helpOption(false)
      .allowUnknownOption()
      .action((args: string[]) => further.run(args))
  else
    command(`${name} [arguments...]`, description)
      .usage(usage)
      .allowUnknownOption()
      .action((args: string[], options) => runWithServices(from(options), services => further.run(args, { services })))
}

function addServing({ command, from }: CommandSet): void {
  command('serve', 'serve the API over HTTP')
    .option('--profile <name>', 'name of a configured profile to serve; repeatable', collect)
    .option('--port <number>')
    .option('--host <address>')
    .option('--workers <number>', 'number of processes that serve requests; default 1')
    .option('--demo', 'load demonstration data if the database has no users')
    .action(options =>
      runWithServices(from(options), async services => (await import('./serve.ts')).serve(services, options)),
    )

  command('dev', 'serve the API for development: restart when a file changes, and show the causes of errors')
    .option('--profile <name>', 'name of a configured profile to serve; repeatable', collect)
    .option('--port <number>')
    .option('--host <address>')
    .option('--demo', 'load demonstration data if the database has no users')
    .option('--apply', 'apply a new migration step at once, also if the steps do not make the declared tables')
    .addOption(new Option('--workers <number>').hideHelp())
    .addOption(new Option('--watched <start>').hideHelp())
    .action(async ({ watched, ...options }) => (await import('./dev.ts')).dev(from(options), watched))
}

function addJobs({ command, from }: CommandSet): void {
  command('jobs', 'run the jobs of the profiles, without serving requests')
    .option('--concurrency <number>', 'how many run at the same time; default: the limit `jobs`')
    .action(options =>
      runWithServices(from(options), async services => (await import('./jobs.ts')).runJobs(services, options)),
    )
}

function addDatabase({ command, from }: CommandSet): void {
  command('migrate', 'create or update the tables of the database')
    .option(
      '--accept <step>',
      'an applied step, as <owner>/<step>, that has changed and still does the same; repeatable',
      collect,
    )
    .option('--to <step>', 'the last step to apply, as <owner>/<step>')
    .option('--rolling', 'refuse if programs from before and after the steps cannot run beside each other')
    .action(options =>
      runWithServices(from(options), async services =>
        (await import('./migrate.ts')).migrateDatabase(services, options),
      ),
    )

  command('check', 'list problems with the settings and the database; the exit code is 1 if there are any')
    .option('--deploy', 'also list what is unsafe in production')
    .action(options =>
      runWithSettings(from(options), async settings => (await import('./check.ts')).check(settings, options)),
    )
}

function addDescription({ command, from }: CommandSet): void {
  command('openapi', 'print the OpenAPI document of the service')
    .option('--profile <name>', 'name of a configured profile to describe; repeatable', collect)
    .option('--format <name>', 'json or yaml; default json')
    .option('--against <file>', 'list the changes since this older document (JSON) that break clients; exit code 1')
    .action(options =>
      runWithSettings(from(options), async settings => (await import('./openapi.ts')).printDocument(settings, options)),
    )
}

function addAccounts({ command, from }: CommandSet): void {
  command('createuser <username>', 'create a user; the password comes from a prompt or standard input')
    .option('--email <address>')
    .option('--staff', 'may use the administration')
    .option('--superuser', 'has every permission')
    .action((username, options) =>
      runWithServices(from(options), async services =>
        (await import('./createuser.ts')).createUser(services, username, options),
      ),
    )

  command('changepassword <username>', 'change the password of a user').action((username, options) =>
    runWithServices(from(options), async services =>
      (await import('./changepassword.ts')).changePassword(services, username),
    ),
  )

  command('linkuser <username> [identity]', "link a user to the web server's name for the user; default: the username")
    .option('--remove', 'remove the link')
    .action((username, identity, options) =>
      runWithServices(from(options), async services =>
        (await import('./linkuser.ts')).linkUser(services, username, identity, options),
      ),
    )

  command(
    'token <username>',
    "print the user's token, and create it if there is none; with named tokens, always create one",
  )
    .option('--regenerate', 'create a new token; earlier ones stop working')
    .option('--name <text>', 'name of a named token')
    .option('--expires <seconds>', 'lifetime of a named token, in seconds')
    .action((username, options) =>
      runWithServices(from(options), async services => (await import('./token.ts')).token(services, username, options)),
    )

  command('rotate-secret', 'encrypt all tokens with SECRET_KEY, so that SECRET_KEY_FALLBACKS can be removed')
    .option(
      '--lost',
      'continue if an earlier key is lost; tokens that only it can decrypt are replaced at the next login',
    )
    .action(options =>
      runWithServices(from(options), async services =>
        (await import('./rotate-secret.ts')).rotateSecret(services, options),
      ),
    )
}

function addData({ command, from }: CommandSet): void {
  command(
    'loaddata <file>',
    'load groups, users and the lists of the profiles from a JSON file: all or nothing',
  ).action((file, options) =>
    runWithServices(from(options), async services => (await import('./loaddata.ts')).loadDataFile(services, file)),
  )

  command(
    'backup <file>',
    'copy the SQLite database into a new file while the service runs; for PostgreSQL use pg_dump',
  ).action((file, options) =>
    runWithSettings(from(options), async settings => (await import('./backup.ts')).backupDatabase(settings, file)),
  )

  command('inspect', 'declare the tables of an existing database as TypeScript')
    .option('--tables <names>', 'only these tables, separated by commas')
    .option('--owner <name>', 'the owner of the tables; default: application')
    .option('--resources', 'also draft a resource for each table')
    .option('--django', 'Django made the tables: name them after its models, and read what it stores')
    .action(options => runCommand(async () => (await import('./inspect.ts')).inspectDatabase(options)))

  command('unused-files', 'list the stored files that are older than an hour and that no object refers to')
    .option('--remove', 'also remove them')
    .action(options =>
      runWithServices(from(options), async services =>
        (await import('./unused-files.ts')).unusedFiles(services, options),
      ),
    )
}

const collect = (value: string, values: string[] = []) => [...values, value]
