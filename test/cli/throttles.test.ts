// Two processes of the service on one database, with throttles from the environment.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { formatJsonConfig } from '../support/config-file.ts'
import { commandLine, databases } from './command-line.ts'

for (const [name, formatUrl] of Object.entries(databases)) {
  test(`LIM-THR-p1: exactly ten of 200 simultaneous requests to two processes are allowed, on ${name}`, async context => {
    const cli = await commandLine(context)
    // A busy machine cannot handle two hundred simultaneous requests in time.
    const config = formatJsonConfig({ limits: { overloadDelay: 60_000 } })
    await writeFile(join(cli.folder, 'resource-api.config.ts'), config)
    const environment = {
      DATABASE_URL: await formatUrl(context, cli),
      SECRET_KEY: 's'.repeat(40),
      PORT: '0',
      LOG_LEVEL: 'silent',
      THROTTLE_ANON: '10/day, 1000/60 days',
    }
    const processes = [cli.start(['serve'], { environment }), cli.start(['serve'], { environment })]
    const origins = await Promise.all(processes.map(async running => (await running.until(/http:\S+/))[0]))
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, index) => fetch(`${origins[index % 2]}/snippet/users/`)),
    )
    const statuses = responses.map(({ status }) => status)
    assert.equal(statuses.filter(status => status === 200).length, 10)
    assert.equal(statuses.filter(status => status === 429).length, 190)
    await Promise.all(processes.map(running => running.stop()))
  })
}
