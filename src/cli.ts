#!/usr/bin/env node
// The executable. It has no static import and no new syntax, so that an old Node can parse it and print which one is
// needed.

const needed = '24.16'

/** The oldest Node that can write a new project, which then gets its own Node. */
const neededForNew = '20.0'

const { version, args } = { version: process.versions.node, args: process.argv.slice(2) }

if (!isOlder(version, needed)) {
  start()
} else if (args[0] === 'new' && !isOlder(version, neededForNew)) {
  import('./new/new-command.ts').then(({ runNew }) => runNew(args.slice(1), { oldNode: version }))
} else {
  console.error(`resource-api needs Node ${needed} or newer. This is Node ${version}: ${process.execPath}`)
  process.exitCode = 1
}

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [neededMajor = 0, neededMinor = 0] = than.split('.').map(Number)
  return major < neededMajor || (major === neededMajor && minor < neededMinor)
}

/**
 * The version of the machine's Node if it cannot run a new project. It can differ from the Node of this process: a project
 * can have a Node of its own, and this repository has one. npm says which Node runs npm itself.
 */
function findOldNode(): string | undefined {
  const [, machine] = /\bnode\/v(\S+)/.exec(process.env.npm_config_user_agent ?? '') ?? []
  return machine !== undefined && isOlder(machine, needed) ? machine : undefined
}

async function start(): Promise<void> {
  // It halves the time of the second and later starts.
  process.getBuiltinModule('node:module').enableCompileCache()
  const { runCommandLine } = await import('./service/index.ts')
  await runCommandLine({
    loadDefault: async () => (await import('./seed/default-service.ts')).default,
    commands: [
      {
        name: 'new',
        usage: '<folder> [--minimal]',
        description: 'write a small project to begin with',
        standalone: true,
        run: async (args: readonly string[]) =>
          (await import('./new/new-command.ts')).runNew(args, { oldNode: findOldNode() }),
      },
    ],
  })
}
