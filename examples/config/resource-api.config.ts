import { defineService } from 'resource-api/service'

export default defineService({
  profiles: ['snippets'],
  tokenForNewUsers: true,
  tokenResponse: user => ({ username: user.username }),
})
