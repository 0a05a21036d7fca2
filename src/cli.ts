#!/usr/bin/env node
// The executable. It has no static import and no new syntax, so that an old Node can parse it and print which one is
// needed.

const needed = '24.16'

if (isOlder(process.versions.node, needed)) {
  console.error(
    `resource-api needs Node ${needed} or newer. This is Node ${process.versions.node}: ${process.execPath}`,
  )
  process.exitCode = 1
} else {
  start()
}

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [neededMajor = 0, neededMinor = 0] = than.split('.').map(Number)
  return major < neededMajor || (major === neededMajor && minor < neededMinor)
}

async function start(): Promise<void> {
  // It halves the time of the second and later starts.
  process.getBuiltinModule('node:module').enableCompileCache()
  const { registerModuleHooks } = await import('./module-hooks.ts')
  registerModuleHooks()
  const { runCommandLine } = await import('resource-api/service')
  await runCommandLine({ loadDefault: async () => (await import('./default-service.ts')).default })
}
