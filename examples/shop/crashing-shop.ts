// A process that serves the shop and kills itself on request. `X-Crash: 2 insert into "order_lines"` kills it before the second
// statement that contains this text; `X-Crash: response` after the commit and before the response.

import { createService, openServices, readSettings } from 'resource-api/service'
import config from './resource-api.config.ts'

let [left, moment] = [0, '']

const crash = () => process.kill(process.pid, 'SIGKILL')

const settings = readSettings({ file: { ...config, logLevel: 'silent' }, environment: process.env })
const { secretKey } = settings
if (secretKey === undefined) throw new Error('SECRET_KEY is missing')
const services = openServices(
  { ...settings, secretKey },
  {
    observe(sql) {
      if (moment === '' || !sql.includes(moment)) return
      left -= 1
      if (left === 0) crash()
    },
  },
)
await services.prepare()
const app = await createService(services)
app.addHook('onRequest', async ({ headers: { 'x-crash': wanted } }) => {
  const [, count = '1', text = ''] = /^(?:(\d+) )?(.*)/.exec(String(wanted ?? '')) ?? []
  left = Number(count)
  moment = text
})
app.addHook('onSend', async () => {
  if (moment === 'response') crash()
})
process.send?.(await app.listen({ port: 0 }))
