// Passkeys with the virtual authenticator of Chromium, under the Content-Security-Policy of the pages.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { inChromium, logIn, logOut } from '../support/chromium.ts'
import { freePort } from '../support/free-port.ts'
import { password, type RunningService, startService } from '../support/service.ts'

/** Gives the page a device that keeps passkeys, and asks nobody. */
async function addDevice(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...({ protocol: 'ctap2', transport: 'internal' } as const),
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
  return {
    setVerified: (isUserVerified: boolean) =>
      session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

async function checkAccessibility(page: Page) {
  await page.evaluate(axe.source)
  const violations = await page.evaluate(async () => {
    const found = await (globalThis as unknown as { axe: typeof axe }).axe.run()
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`)
  })
  assert.deepEqual(violations, [])
}

inChromium(chromium => {
  let service: RunningService
  let origin: string
  before(async () => {
    const port = await freePort()
    // The host of a passkey is a name.
    origin = `http://localhost:${port}`
    const options = { publicUrl: origin, secondFactor: { passkeys: true } }
    service = await startService({ database: 'SQLite', transport: 'in the process' }, options)
    await service.app.listen({ port, host: '127.0.0.1' })
    await service.createUser('ann')
  })
  after(() => service?.stop())

  test('a person adds a passkey, logs in with it after the password and alone, renames and removes it', async () => {
    const page = await chromium().open(`${origin}/`)
    const device = await addDevice(page)
    await logIn(page, 'ann')
    await page.goto(`${origin}/api-auth/second-factor/`)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await checkAccessibility(page)
    await page.getByLabel('Name of the passkey').fill('Laptop')
    await page.getByRole('button', { name: 'Create the passkey' }).click()
    await page.getByText('Keep these recovery codes.').waitFor()

    await logOut(page)
    await page.goto(`${origin}/api-auth/login/`)
    await page.getByLabel('Username').fill('ann')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await page.getByText('Recovery code', { exact: true }).waitFor()
    await checkAccessibility(page)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('ann', { exact: true }).first().waitFor()

    await logOut(page)
    await page.goto(`${origin}/api-auth/login/`)
    await checkAccessibility(page)
    await device.setVerified(false)
    await page.getByRole('button', { name: 'Log in with a passkey' }).click()
    await page.getByText('The browser gave no passkey. Try again, or choose another way.').waitFor()
    await device.setVerified(true)
    await page.getByRole('button', { name: 'Log in with a passkey' }).click()
    await page.getByText('ann', { exact: true }).first().waitFor()

    await page.goto(`${origin}/api-auth/second-factor/`)
    await checkAccessibility(page)
    await page.getByLabel('Name of the passkey').fill('Work')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('button', { name: 'Remove Work' }).waitFor()
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Remove Work' }).click()
    await page.getByText('A login asks only for your password.').waitFor()
  })
})
