import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { bundledLanguagesInfo } from 'shiki/langs'
import { anHour, withinLimits } from '../../../../test/support/patience.ts'
import { formatDocument, plainCode, type SnippetSource } from './document.ts'
import { createHighlighter, HighlighterBusy, type HighlighterOptions } from './highlighter.ts'
import { styles } from './styles.ts'
import { codeIn, createSnippet, readLineNumbers } from './testing.ts'

/** For tests in which no snippet is late. */
const patient = { deadline: anHour, maxWait: anHour }
/** The deadline in milliseconds that an idle machine misses only with `slow`. */
const shortDeadline = 750

const highlighter = createHighlighter({ ...patient, maxQueue: Infinity, threads: 2 })
after(() => highlighter.close())

const plainPage = (snippet: SnippetSource) => formatDocument(snippet, plainCode(snippet.code))
const isHighlighted = (page: string) => page.includes('<span class="c0">')

// Unclosed emphasis within the length limits: Shiki takes ten seconds for it.
const slow = createSnippet({
  code: `${'*a '.repeat(1600)}\n\n`.repeat(20),
  language: 'markdown',
  title: '<slow>',
  linenos: true,
})
const quick = createSnippet({ code: '{"a": 1}', language: 'json' })

test('RES-SNIP-r8: every language is highlighted, and the code is unchanged', async () => {
  const code = 'def f(x): # "a" & <b>\n\treturn x + 1 -- \'c\' /* 𝒳 */;\n\n<p class="a">{{ b }}</p>'
  const checkLanguage = async (language: string) => {
    const page = await highlighter.highlight(createSnippet({ code, language }))
    assert.equal(codeIn(page), code, language)
    assert.notEqual(page, plainPage(createSnippet({ code })), language)
  }
  await Promise.all(['text', ...bundledLanguagesInfo.map(({ id }) => id)].map(checkLanguage))
})

test('RES-SNIP-r8: every style is rendered in its own colours', async () => {
  const pages = new Map<string, string>()
  for (const [style, theme] of styles) {
    const page = await highlighter.highlight(createSnippet({ style }))
    assert.ok(isHighlighted(page), style)
    assert.equal(page, pages.get(theme) ?? page, style)
    pages.set(theme, page)
  }
  assert.equal(new Set(pages.values()).size, new Set(styles.values()).size)
})

test('RES-SNIP-r8: an unknown language or style does not fail', async () => {
  const page = await highlighter.highlight(createSnippet({ language: '__proto__', style: 'constructor' }))
  assert.equal(codeIn(page), 'print(1)')
})

test('RES-SNIP-r8: markup in the title or the code is escaped in highlighted pages', async () => {
  const hostile = '</code></pre></title></style><script>alert("1")</script><img src=x onerror="a()"> &lt;'
  for (const language of ['html', 'php', 'markdown', 'python']) {
    const page = await highlighter.highlight(createSnippet({ code: hostile, title: hostile, language }))
    assert.doesNotMatch(page, /<script|<img/)
    assert.equal(page.match(/<\/(title|style|code)>/g)?.length, 3)
    assert.equal(codeIn(page), hostile)
  }
})

test('RES-SNIP-r5: highlighted code has a number for each line, with any line ends', async () => {
  const code = 'if x:\r\n\tprint("𝒳")\r\n\r\nelse:\r\n\tpass\r\n'
  const page = await highlighter.highlight(createSnippet({ code, linenos: true }))
  assert.deepEqual(readLineNumbers(page), ['1', '2', '3', '4', '5'])
  assert.equal(codeIn(page), 'if x:\n\tprint("𝒳")\n\nelse:\n\tpass')
})

test('RES-SNIP-r8: code or lines that are too long are rendered as plain text', () =>
  withHighlighter({ ...patient, maxCode: 50, maxLineLength: 20 }, async ({ highlight }) => {
    for (const code of ['x = 1\n'.repeat(9), 'x'.repeat(21), `a\n${'x'.repeat(21)}\r\nb`]) {
      assert.equal(await highlight(createSnippet({ code })), await highlight(createSnippet({ code, language: 'text' })))
    }
    assert.ok(isHighlighted(await highlight(createSnippet({ code: 'x = "1"\n'.repeat(6) }))))
  }))

test('RES-SNIP-r8: code that exceeds the deadline is rendered as plain text, and the next snippet is highlighted', () =>
  withinLimits(shortDeadline, async deadline => {
    const failures: unknown[] = []
    const options = { deadline, maxWait: anHour, threads: 1, onFailure: (error: unknown) => failures.push(error) }
    await withHighlighter(options, async ({ highlight }) => {
      const pages = await Promise.all([slow, quick, slow, quick].map(highlight))
      assert.equal(pages[0], plainPage(slow))
      assert.equal(pages[2], plainPage(slow))
      assert.ok(isHighlighted(pages[1]!) && isHighlighted(pages[3]!))
      const message = `Error: the thread did not respond within ${deadline} ms`
      assert.deepEqual(failures.map(String), [message, message])
    })
  }))

test('RES-SNIP-r8: a snippet whose thread runs out of memory is rendered as plain text', async () => {
  const failures: unknown[] = []
  const options = { ...patient, memory: 4, threads: 1, onFailure: (error: unknown) => failures.push(error) }
  await withHighlighter(options, async ({ highlight }) => {
    assert.deepEqual(await Promise.all([highlight(quick), highlight(slow)]), [quick, slow].map(plainPage))
    assert.match(String(failures), /memory limit.*memory limit/s)
  })
})

test('RES-SNIP-r8: a full queue rejects a snippet, and the waiting ones are rendered', () =>
  withinLimits(shortDeadline, async deadline => {
    const options = { deadline, maxWait: anHour, threads: 1, maxQueue: 2 * 4096 }
    await withHighlighter(options, async ({ highlight }) => {
      const accepted = [slow, quick, quick].map(highlight)
      await assert.rejects(highlight(quick), HighlighterBusy)
      assert.deepEqual((await Promise.all(accepted)).map(isHighlighted), [false, true, true])
      assert.ok(isHighlighted(await highlight(quick)))
    })
  }))

test('RES-SNIP-r8: a snippet that exceeds the waiting time is rendered as plain text', () =>
  withinLimits(shortDeadline, async deadline => {
    const failures: unknown[] = []
    const options = { deadline, maxWait: 50, threads: 1, onFailure: (error: unknown) => failures.push(error) }
    await withHighlighter(options, async ({ highlight }) => {
      assert.deepEqual(await Promise.all([slow, quick].map(highlight)), [slow, quick].map(plainPage))
      assert.match(String(failures[0]), /no thread was available within 50 ms/)
      assert.ok(isHighlighted(await highlight(quick)), 'a snippet that timed out does not use the thread')
    })
  }))

test('RES-SNIP-r8: code that is too long to be highlighted is rejected if it is not rendered in time', () =>
  withinLimits(shortDeadline, async deadline => {
    const long = createSnippet({ code: 'x\n'.repeat(51_000) })
    await withHighlighter({ deadline, maxWait: 50, threads: 1 }, async ({ highlight }) => {
      const timedOut = highlight(slow)
      await assert.rejects(highlight(long), HighlighterBusy)
      assert.equal(await timedOut, plainPage(slow))
      assert.equal(codeIn(await highlight(long)), long.code.slice(0, -1))
    })
  }))

test('RES-SNIP-r8: a thread that runs out of memory is replaced', async () => {
  const failures: unknown[] = []
  const options = { ...patient, memory: 48, threads: 1, maxCode: Infinity, maxLineLength: Infinity }
  await withHighlighter({ ...options, onFailure: error => failures.push(error) }, async ({ highlight }) => {
    const huge = createSnippet({ code: '{"a": [1, "b"]}\n'.repeat(200_000), language: 'json' })
    const pages = await Promise.all([quick, huge, quick].map(highlight))
    assert.deepEqual(pages.map(isHighlighted), [true, false, true])
    assert.match(String(failures), /memory limit/)
  })
})

test('RES-SNIP-r8: after close, current and later snippets are rendered as plain text', async () => {
  for (const warmUp of [[], [quick]]) {
    const { highlight, close } = createHighlighter({ ...patient, threads: 1 })
    await Promise.all(warmUp.map(highlight))
    const pages = Promise.all([slow, quick].map(highlight))
    await setImmediate()
    await close()
    assert.deepEqual(await pages, [slow, quick].map(plainPage))
    assert.equal(await highlight(quick), plainPage(quick))
  }
})

test('RES-SNIP-r8: no snippet is lost with an idle time of 0', () =>
  withHighlighter({ ...patient, idle: 0, threads: 1 }, async ({ highlight }) => {
    for (let times = 0; times < 5; times += 1) {
      assert.ok(isHighlighted(await highlight(quick)))
      await setImmediate()
    }
  }))

test('RES-SNIP-r8: an idle thread does not keep the process alive', async () => {
  const script = `
    import { createHighlighter } from ${JSON.stringify(new URL('./highlighter.ts', import.meta.url))}
    console.log(await createHighlighter(${JSON.stringify(patient)}).highlight(${JSON.stringify(quick)}))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  assert.ok(isHighlighted(stdout))
})

test('RES-SNIP-r8: a highlighter without threads throws at start', () => {
  assert.throws(() => createHighlighter({ threads: 0 }), RangeError)
})

async function withHighlighter(
  options: HighlighterOptions,
  run: (highlighter: ReturnType<typeof createHighlighter>) => Promise<void>,
) {
  const highlighter = createHighlighter(options)
  await run(highlighter).finally(highlighter.close)
}
