// The application of this repository: the service that the command line runs if there is no config file.

import { directory } from 'resource-api/directory'
import { defineService } from 'resource-api/service'
import { snippets } from 'resource-api/snippets'
import { demoAccounts } from './demo-accounts.ts'

export default defineService({
  profiles: [directory(), snippets()],
  demo: demoAccounts,
  openapi: { license: { name: 'MIT', identifier: 'MIT' } },
})
