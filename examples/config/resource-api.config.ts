import { defineService } from 'resource-api/service'
import { snippets } from 'resource-api/snippets'

export default defineService({
  profiles: [snippets()],
  tokenForNewUsers: true,
  tokenResponse: user => ({ username: user.username }),
})
