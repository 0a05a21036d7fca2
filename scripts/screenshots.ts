/**
 * `npm run screenshots` takes screenshots of the demonstration's main pages, in `docs/screenshots/`.
 *
 *   node scripts/screenshots.ts [folder]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import sparticuz from '@sparticuz/chromium'
import { chromium, type Page } from 'playwright-core'

const size = { width: 1280, height: 860 }
const root = join(import.meta.dirname, '..')
const out = resolve(process.argv[2] ?? join(root, 'docs/screenshots'))
const folder = mkdtempSync(join(tmpdir(), 'resource-api-screenshots-'))
mkdirSync(out, { recursive: true })

const service = spawn(process.execPath, ['src/cli.ts', 'serve', '--demo', '--port', '0'], {
  cwd: root,
  env: { ...process.env, DATABASE_URL: `sqlite:${folder}/demo.db`, LOG_LEVEL: 'silent' },
  stdio: ['ignore', 'pipe', 'ignore'],
})
let said = ''
for await (const chunk of service.stdout.iterator({ destroyOnReturn: false })) {
  said += String(chunk)
  if (said.includes('Ctrl+C')) break
}
const find = (pattern: RegExp): string => pattern.exec(said)?.[1] ?? ''
const origin = find(/(http:\/\/127\.0\.0\.1:\d+)/)

const browser = await chromium.launch({
  executablePath: await sparticuz.executablePath(),
  args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--font-render-hinting=none'],
})
try {
  const page = await browser.newPage({ viewport: size })
  await page.goto(`${origin}/api-auth/login/?next=/snippet/snippets/`)
  await page.getByLabel('Username').fill('demo')
  await page.getByLabel('Password').fill(find(/Password +(\S+)/))
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.waitForURL(/snippets\/$/)
  await picture(page, 'list')
  await page.goto(`${origin}/snippet/snippets/1/`)
  await picture(page, 'snippet')
  await page.goto(`${origin}/snippet/snippets/?new`)
  await page.getByLabel('Title').fill('Kept as it was typed')
  await page.getByRole('button', { name: 'Create', exact: true }).first().click()
  await page.locator('[aria-invalid]').waitFor()
  await picture(page, 'form')
  await page.goto(`${origin}/admin/users/`)
  await picture(page, 'administration')
  await page.goto(`${origin}/admin/groups/1/`)
  for (const name of ['Snippets: view', 'Snippets: change']) await page.getByLabel(name).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved: Permissions').waitFor()
  await page.goto(`${origin}/admin/users/6/`)
  await page.getByLabel('Email').fill('sofia@example.org')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved: Email').waitFor()
  await page.setViewportSize({ width: 1280, height: 1180 })
  await picture(page, 'user')
  await page.setViewportSize(size)
  // Failed logins and refused requests, which the charts count.
  const body = new URLSearchParams({ username: 'demo', password: 'wrong' })
  for (let index = 0; index < 3; index++) await fetch(`${origin}/api-token-auth/`, { method: 'POST', body })
  for (let index = 0; index < 5; index++)
    await fetch(`${origin}/directory/users/`, { headers: { authorization: 'Token wrong' } })
  await delay(1500)
  await page.goto(`${origin}/admin/`)
  await picture(page, 'figures')
} finally {
  await browser.close()
  service.kill()
  if (service.exitCode === null) await once(service, 'exit')
  rmSync(folder, { recursive: true, force: true })
}

// One pixel of the page is one pixel of the picture, so that the file stays small.
async function picture(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: join(out, `${name}.png`) })
}
