import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { bundledLanguagesInfo } from 'shiki/langs'
import { formatDocument, plainCode, type SnippetSource } from './document.ts'
import { createHighlighter, HighlighterBusy, type HighlighterOptions } from './highlighter.ts'
import { styles } from './styles.ts'
import { codeIn, numbersIn, snippetOf } from './testing.ts'

const highlighter = createHighlighter({ deadline: 60_000, maxQueue: Infinity, maxWait: 60_000, threads: 2 })
after(() => highlighter.close())

const plainPage = (snippet: SnippetSource) => formatDocument(snippet, plainCode(snippet.code))
const isColoured = (page: string) => page.includes('<span class="c0">')

// Emphasis that is never closed, within the bounds: Shiki takes ten seconds for it.
const endless = snippetOf({
  code: `${'*a '.repeat(1600)}\n\n`.repeat(20),
  language: 'markdown',
  title: '<endless>',
  linenos: true,
})
const quick = snippetOf({ code: '{"a": 1}', language: 'json' })

test('RES-SNIP-r8: every language is highlighted, and the code stays what it was', async () => {
  const code = 'def f(x): # "a" & <b>\n\treturn x + 1 -- \'c\' /* 𝒳 */;\n\n<p class="a">{{ b }}</p>'
  const check = async (language: string) => {
    const page = await highlighter.highlight(snippetOf({ code, language }))
    assert.equal(codeIn(page), code, language)
    assert.notEqual(page, plainPage(snippetOf({ code })), language)
  }
  await Promise.all(['text', ...bundledLanguagesInfo.map(({ id }) => id)].map(check))
})

test('RES-SNIP-r8: every style is shown, in colours of its own', async () => {
  const pages = new Map<string, string>()
  for (const [style, theme] of styles) {
    const page = await highlighter.highlight(snippetOf({ style }))
    assert.ok(isColoured(page), style)
    assert.equal(page, pages.get(theme) ?? page, style)
    pages.set(theme, page)
  }
  assert.equal(new Set(pages.values()).size, new Set(styles.values()).size)
})

test('RES-SNIP-r8: a language or style that is not known is no reason to fail', async () => {
  const page = await highlighter.highlight(snippetOf({ language: '__proto__', style: 'constructor' }))
  assert.equal(codeIn(page), 'print(1)')
})

test('RES-SNIP-r8: hostile code and title stay text when they are highlighted', async () => {
  const hostile = '</code></pre></title></style><script>alert("1")</script><img src=x onerror="a()"> &lt;'
  for (const language of ['html', 'php', 'markdown', 'python']) {
    const page = await highlighter.highlight(snippetOf({ code: hostile, title: hostile, language }))
    assert.doesNotMatch(page, /<script|<img/)
    assert.equal(page.match(/<\/(title|style|code)>/g)?.length, 3)
    assert.equal(codeIn(page), hostile)
  }
})

test('RES-SNIP-r5: highlighted code has a number for each line, whatever ends the lines', async () => {
  const code = 'if x:\r\n\tprint("𝒳")\r\n\r\nelse:\r\n\tpass\r\n'
  const page = await highlighter.highlight(snippetOf({ code, linenos: true }))
  assert.deepEqual(numbersIn(page), ['1', '2', '3', '4', '5'])
  assert.equal(codeIn(page), 'if x:\n\tprint("𝒳")\n\nelse:\n\tpass')
})

test('RES-SNIP-r8: code above the bounds is shown in plain text', () =>
  using({ maxCode: 50, maxLineLength: 20 }, async ({ highlight }) => {
    for (const code of ['x = 1\n'.repeat(9), 'x'.repeat(21), `a\n${'x'.repeat(21)}\r\nb`]) {
      assert.equal(await highlight(snippetOf({ code })), await highlight(snippetOf({ code, language: 'text' })))
    }
    assert.ok(isColoured(await highlight(snippetOf({ code: 'x = "1"\n'.repeat(6) }))))
  }))

test('RES-SNIP-r8: at the deadline the code is shown in plain text, and the next snippet is highlighted', async () => {
  const failures: unknown[] = []
  await using(
    { deadline: 1500, maxWait: 60_000, threads: 1, onFailure: error => failures.push(error) },
    async ({ highlight }) => {
      const pages = await Promise.all([endless, quick, endless, quick].map(highlight))
      assert.equal(pages[0], plainPage(endless))
      assert.equal(pages[2], plainPage(endless))
      assert.ok(isColoured(pages[1]!) && isColoured(pages[3]!))
      assert.match(String(failures), /^(Error: the thread did not answer in 1500 ms,?){2}$/)
    },
  )
})

test('RES-SNIP-r8: a thread without memory costs the snippet its colours and nothing else', async () => {
  const failures: unknown[] = []
  await using({ memory: 4, threads: 1, onFailure: error => failures.push(error) }, async ({ highlight }) => {
    assert.deepEqual(await Promise.all([highlight(quick), highlight(endless)]), [quick, endless].map(plainPage))
    assert.match(String(failures), /memory limit.*memory limit/s)
  })
})

test('RES-SNIP-r8: no more snippets wait than may, and those that wait are not lost', async () => {
  await using({ deadline: 2000, maxWait: 60_000, threads: 1, maxQueue: 2 * 4096 }, async ({ highlight }) => {
    const accepted = [endless, quick, quick].map(highlight)
    await assert.rejects(highlight(quick), HighlighterBusy)
    assert.deepEqual((await Promise.all(accepted)).map(isColoured), [false, true, true])
    assert.ok(isColoured(await highlight(quick)))
  })
})

test('RES-SNIP-r8: a snippet for which no thread is free in time is shown in plain text', async () => {
  const failures: unknown[] = []
  const options = { deadline: 2000, maxWait: 50, threads: 1, onFailure: (error: unknown) => failures.push(error) }
  await using(options, async ({ highlight }) => {
    assert.deepEqual(await Promise.all([endless, quick].map(highlight)), [endless, quick].map(plainPage))
    assert.match(String(failures[0]), /no thread was free for 50 ms/)
    assert.ok(isColoured(await highlight(quick)), 'who has left is not given the thread')
  })
})

test('RES-SNIP-r8: code too long to be highlighted is refused where it cannot become a page in time', async () => {
  const long = snippetOf({ code: 'x\n'.repeat(51_000) })
  await using({ deadline: 2000, maxWait: 50, threads: 1 }, async ({ highlight }) => {
    const late = highlight(endless)
    await assert.rejects(highlight(long), HighlighterBusy)
    assert.equal(await late, plainPage(endless))
    assert.equal(codeIn(await highlight(long)), long.code.slice(0, -1))
  })
})

test('RES-SNIP-r8: a thread that runs out of memory is replaced', async () => {
  const failures: unknown[] = []
  const options = {
    memory: 48,
    threads: 1,
    maxCode: Infinity,
    maxLineLength: Infinity,
    deadline: 60_000,
    maxWait: 60_000,
  }
  await using({ ...options, onFailure: error => failures.push(error) }, async ({ highlight }) => {
    const huge = snippetOf({ code: '{"a": [1, "b"]}\n'.repeat(200_000), language: 'json' })
    const pages = await Promise.all([quick, huge, quick].map(highlight))
    assert.deepEqual(pages.map(isColoured), [true, false, true])
    assert.match(String(failures), /memory limit/)
  })
})

test('RES-SNIP-r8: closing answers what is under way and whatever comes later in plain text', async () => {
  for (const before of [[], [quick]]) {
    const { highlight, close } = createHighlighter({ threads: 1, deadline: 60_000 })
    await Promise.all(before.map(highlight))
    const pages = Promise.all([endless, quick].map(highlight))
    await setImmediate()
    await close()
    assert.deepEqual(await pages, [endless, quick].map(plainPage))
    assert.equal(await highlight(quick), plainPage(quick))
  }
})

test('RES-SNIP-r8: a thread that may be ended at once when idle loses no snippet', () =>
  using({ idle: 0, threads: 1 }, async ({ highlight }) => {
    for (let times = 0; times < 5; times += 1) {
      assert.ok(isColoured(await highlight(quick)))
      await setImmediate()
    }
  }))

test('RES-SNIP-r8: an idle thread does not keep the process alive', async () => {
  const script = `
    import { createHighlighter } from ${JSON.stringify(new URL('./highlighter.ts', import.meta.url))}
    console.log(await createHighlighter().highlight(${JSON.stringify(quick)}))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  assert.ok(isColoured(stdout))
})

test('RES-SNIP-r8: a highlighter without threads is a mistake that is told at once', () => {
  assert.throws(() => createHighlighter({ threads: 0 }), RangeError)
})

async function using(options: HighlighterOptions, use: (own: ReturnType<typeof createHighlighter>) => Promise<void>) {
  const own = createHighlighter(options)
  await use(own).finally(own.close)
}
