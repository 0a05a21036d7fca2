// Checks a page in Chromium with axe.

import assert from 'node:assert/strict'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface RuleResult {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** Fails if axe finds a violation, or if the page is wider than the screen. Frames are not checked: authors choose their colours. */
export async function checkAccessibility(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  // Describing each element that passes takes half of the time.
  const { violations, passes } = (await page.evaluate(
    "axe.run(document, { iframes: false, resultTypes: ['violations'] })",
  )) as {
    violations: RuleResult[]
    passes: RuleResult[]
  }
  assert.ok(passes.length > 10, 'axe checked the page')
  const lines = violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => `${node.html} ${node.failureSummary}`)}`)
  assert.deepEqual(lines, [], page.url())
  const width = (await page.evaluate('document.documentElement.scrollWidth')) as number
  assert.ok(width <= page.viewportSize()!.width, `${page.url()} is ${width} wide`)
}
