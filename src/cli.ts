#!/usr/bin/env node
// The executable. It enables Node's compile cache, which halves the time of the second and later starts.

import { enableCompileCache } from 'node:module'

enableCompileCache()
const { runCommandLine } = await import('resource-api/service')
await runCommandLine({ loadDefault: async () => (await import('./default-service.ts')).default })
