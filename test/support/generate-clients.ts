// Generates clients from the documents in a folder: `node test/support/generate-clients.ts FOLDER BASE_URL NAME…`. It runs in a
// process of its own, because the generators print and need the programming interface of TypeScript 5.

import { readFile, writeFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { join } from 'node:path'

registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
})

const [folder = '', baseUrl = '', ...names] = process.argv.slice(2)
const { default: describeTypes, astToString } = await import('openapi-typescript')
const { generate } = await import('orval')
const { createClient } = await import('@hey-api/openapi-ts')

for (const name of names) {
  const input = join(folder, `${name}.json`)
  // A body may lack a member that has a default.
  const types = await describeTypes(JSON.parse(await readFile(input, 'utf8')), { defaultNonNullable: false })
  await writeFile(join(folder, 'openapi-typescript', `${name}.ts`), astToString(types))
  const target = join(folder, 'orval', `${name}.ts`)
  await generate({ input: { target: input }, output: { target, client: 'fetch', mode: 'single', baseUrl } })
  await createClient({ input, output: join(folder, 'hey-api', name), logs: { level: 'silent' } })
}
