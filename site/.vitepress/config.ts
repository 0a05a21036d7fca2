/**
 * The site of the documentation: the Markdown of the repository, with search. `npm run site` writes it to `site/dist/`. The build fails
 * if a link leads nowhere.
 */
import { cpSync, existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import { type DefaultTheme, defineConfig, type MarkdownOptions } from 'vitepress'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Where people read the sources, such as `https://code.example/resource-api/blob/main`; without it, links to sources are plain text. */
const sources = process.env.SITE_SOURCES

// Vite compiles pages to modules that import from Vue, so they have to be below the folder that has it.
const copies = fileURLToPath(new URL('../pages/', import.meta.url))
rmSync(copies, { recursive: true, force: true })
for (const path of globSync('{docs/{,decisions/}*.md,docs/screenshots,[A-Z]*.md}', { cwd: root }))
  cpSync(join(root, path), join(copies, path), { recursive: true })

const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** The sections of docs/README.md that list pages, as the sidebar shows them. */
function createSidebar(): DefaultTheme.SidebarItem[] {
  const sections = read('docs/README.md').split(/^## /m)
  return sections
    .filter(section => section.includes('| page |'))
    .map(section => {
      const names = section.matchAll(/^\|.+\]\(([\w./-]+\.md)\) \|$/gm).map(([, name]) => name!)
      return { text: section.split('\n', 1)[0]!, items: [...names].map(createItem) }
    })
}

function createItem(name: string): DefaultTheme.SidebarItem {
  const path = join('docs', name)
  return { text: /^# (.+)$/m.exec(read(path))![1]!.replaceAll('`', ''), link: `/${toPage(path)}` }
}

/** People search for what to do, so decisions come last. */
const rankPage = (page: string): number => (page.includes('/decisions/') ? 0.2 : 1)

const toPage = (path: string): string => path.replace(/(?:README)?\.md$/, '')

/** Links to pages lead to the page, and links to sources to `sources`. */
const linkPages: NonNullable<MarkdownOptions['config']> = md => {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    for (const { children } of tokens) {
      const opened: (typeof tokens)[number][] = []
      for (const token of children ?? []) {
        if (token.type === 'link_open') opened.push(changeLink(token, env.realPath ?? env.path))
        if (token.type === 'link_close') token.tag = opened.pop()!.tag
      }
    }
  })
}

function changeLink<Token extends LinkToken>(token: Token, file: string): Token {
  const href = token.attrGet('href')!
  if (/^(?:[a-z]+:|#)/.test(href)) return token
  const [path = '', ...anchor] = href.split(/(?=#)/)
  const target = join(dirname(file), path).slice(copies.length)
  if (target.endsWith('.md') && existsSync(join(copies, target))) {
    token.attrSet('href', href.replace('README.md', 'index.md'))
    return token
  }
  if (!existsSync(join(root, target))) throw new Error(`${file.slice(copies.length)}: ${href} does not exist`)
  if (sources !== undefined) {
    token.attrSet('href', `${sources}/${target}${anchor.join('')}`)
    return token
  }
  Object.assign(token, { type: 'span_open', tag: 'span', attrs: [['title', target]] })
  return token
}

interface LinkToken {
  type: string
  tag: string
  attrGet(name: string): string | null
  attrSet(name: string, value: string): void
}

export default defineConfig({
  title: 'resource-api',
  description: 'A REST framework for TypeScript, modelled on Django REST framework.',
  srcDir: './pages',
  outDir: './dist',
  cacheDir: './node_modules/.cache',
  rewrites: { 'README.md': 'index.md', ':path(.*)/README.md': ':path/index.md' },
  vite: { build: { chunkSizeWarningLimit: 5000 } },
  markdown: { config: linkPages },
  themeConfig: {
    search: { provider: 'local', options: { miniSearch: { searchOptions: { boostDocument: rankPage } } } },
    outline: [2, 3],
    nav: [
      { text: 'Documentation', link: '/docs/' },
      { text: 'Tutorial', link: '/docs/tutorial' },
      { text: 'From Django', link: '/docs/from-django-rest-framework' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar: createSidebar(),
  },
})
