// The navigation between the HTML pages of a list, and the control for the size of a page.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { browsable, cursor, jsonRenderer, key, limitOffset, linkHeader, pageNumber, resource, text } from 'resource-api'
import type { Paginator } from 'resource-api/extend'
import { onEachDatabase } from '../support/own-api.ts'

const list = (name: string, pagination: Paginator) =>
  resource(name, {
    table: 'authors',
    ordering: ['id'],
    actions: ['list'],
    fields: { id: key(), name: text() },
    pagination,
  })

onEachDatabase(
  () => ({
    renderers: [jsonRenderer, browsable()],
    secret: '-'.repeat(32),
    pageSize: 2,
    resources: [
      list('numbered', pageNumber({ pageSizeQueryParam: 'size', maxPageSize: 50 })),
      list('bounded', pageNumber({ count: { atMost: 10 } })),
      list('uncounted', pageNumber({ count: 'none' })),
      list('shallow', pageNumber({ maxOffset: 10 })),
      list('slices', limitOffset()),
      list('linked', linkHeader()),
      list('timeline', cursor({ ordering: 'id' })),
    ],
  }),
  api => {
    before(async () => {
      const rows = Array.from({ length: 25 }, (_, index) => ({ name: `a${index}` }))
      await api().insert('authors', rows)
    })

    const readPage = async (path: string) => {
      const { text } = await api().client.get(path, { headers: { accept: 'text/html' } })
      return text.replaceAll('&#61;', '=').replaceAll('&#38;', '&amp;')
    }

    /** The texts of the navigation; the current page is in brackets. Each number links to its page. */
    const readLinks = async (path: string, linkTo: (number: number) => string = () => '') => {
      const nav = /<nav class="pagination".*?<\/nav>/s.exec(await readPage(path))?.[0] ?? ''
      const items = [...nav.matchAll(/<li>(.*?)<\/li>/g)].map(([, item]) => {
        const text = item!
          .replace(/<[^>]*>/g, '')
          .replace(/&[a-z]+; ?| &[a-z]+;/g, match => (match === '&hellip;' ? '…' : ''))
        const href = /href="([^"]*)"/.exec(item!)?.[1]
        if (/^\d+$/.test(text) && href !== undefined && linkTo(1) !== '') assert.equal(href, linkTo(Number(text)))
        return /aria-current="page"/.test(item!) ? `[${text}]` : text
      })
      const total = /<p>(.*?)<\/p>/.exec(nav)?.[1]
      return [...items, ...(total === undefined ? [] : [`(${total})`])].join(' ')
    }
    const toPage = (path: string) => (number: number) => (number === 1 ? path : `${path}?page=${number}`)

    test('SVC-7, LIM-PAG-r1: pages with an exact count are numbered from the first to the last', async () => {
      const numbered = (page: string) => readLinks(`/numbered/${page}`, toPage('/numbered/'))
      assert.equal(await numbered(''), '[1] 2 3 … 13 Next (1&ndash;2 of 25)')
      assert.equal(await numbered('?page=4'), 'Previous 1 2 3 [4] 5 6 … 13 Next (7&ndash;8 of 25)')
      assert.equal(await numbered('?page=6'), 'Previous 1 … 4 5 [6] 7 8 … 13 Next (11&ndash;12 of 25)')
      assert.equal(await numbered('?page=10'), 'Previous 1 … 8 9 [10] 11 12 13 Next (19&ndash;20 of 25)')
      assert.equal(await numbered('?page=last'), 'Previous 1 … 11 12 [13] (25&ndash;25 of 25)')
      assert.equal(await numbered('?size=50'), '')
      assert.equal(await readLinks('/numbered/?size=20'), '[1] 2 Next (1&ndash;20 of 25)')
      assert.equal(await readLinks('/numbered/?page=14'), '')
    })

    test('without an exact count, only the next page is known to exist', async () => {
      const bounded = (page: string) => readLinks(`/bounded/${page}`, toPage('/bounded/'))
      assert.equal(await bounded(''), '[1] 2 … Next (1&ndash;2 of more than 10)')
      assert.equal(await bounded('?page=6'), 'Previous 1 … 4 5 [6] 7 … Next (11&ndash;12 of more than 10)')
      assert.equal(await bounded('?page=13'), 'Previous 1 … 11 12 [13] (25&ndash;25 of more than 10)')
      assert.equal(await readLinks('/uncounted/?page=2', toPage('/uncounted/')), 'Previous 1 [2] 3 … Next')
    })

    test('no number leads beyond the largest offset', async () => {
      assert.equal(
        await readLinks('/shallow/?page=3', toPage('/shallow/')),
        'Previous 1 2 [3] 4 … Next (5&ndash;6 of 25)',
      )
    })

    test('LIM-PAG-r2: slices are numbered from the current one', async () => {
      const link = (number: number) => `/slices/?limit=10${number === 1 ? '' : `&amp;offset=${10 * (number - 1)}`}`
      assert.equal(await readLinks('/slices/?limit=10&offset=10', link), 'Previous 1 [2] 3 Next (11&ndash;20 of 25)')
      const shifted = (number: number) =>
        `/slices/?limit=10${number === 1 ? '' : `&amp;offset=${10 * (number - 1) - 7}`}`
      assert.equal(await readLinks('/slices/?limit=10&offset=3', shifted), 'Previous 1 [2] 3 4 Next (4&ndash;13 of 25)')
      assert.equal(await readLinks('/slices/?limit=10&offset=40'), 'Previous (Total: 25)')
    })

    test('LIM-PAG-p2: with the Link header, the last link tells the number of pages', async () => {
      assert.equal(await readLinks('/linked/?page=2', toPage('/linked/')), 'Previous 1 [2] 3 4 … 13 Next')
      assert.equal(await readLinks('/linked/?page=last'), 'First Previous Last')
    })

    test('LIM-PAG-r3: pages of a cursor have no numbers', async () => {
      assert.equal(await readLinks('/timeline/'), 'Next')
    })

    test('LIM-PAG-r1: callers who may choose the size of a page have a control for it', async () => {
      const control = async (path: string) =>
        /<select id="list-page-size".*?<\/select>/s.exec(await readPage(path))?.[0].replace(/ +/g, ' ')
      const none = '<option value="" >Default</option>'
      const option = (size: number) => `<option value="${size}" >${size}</option>`
      assert.equal(
        await control('/numbered/?size=5'),
        `<select id="list-page-size" name="size" >${none}${[10, 20, 50].map(option).join('')}<option value="5" selected>5</option></select>`,
      )
      assert.equal(
        await control('/slices/?offset=4'),
        `<select id="list-page-size" name="limit" >${none.replace(' >', ' selected>')}${[10, 20, 50, 100, 200].map(option).join('')}</select>`,
      )
      assert.equal(await control('/bounded/'), undefined)
    })
  },
)
