// Names that an application gives as messages are in the language of the page; without one, they are the derived names.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  allowAny,
  browsable,
  choice,
  defineMessages,
  german,
  integer,
  jsonRenderer,
  key,
  type Migrations,
  objectView,
  related,
  resource,
  text,
} from 'resource-api'
import { toReadableText } from '../support/html.ts'
import { onEachDatabase } from '../support/own-api.ts'

const words = defineMessages({
  'shelf.one': 'Shelf',
  'shelf.many': 'Shelves',
  'book.one': 'Book',
  'book.many': 'Books',
  'book.about': 'All books of the library.',
  'book.title': 'Title',
  'book.title_help': 'As on the cover.',
  'book.shelf': 'Shelf',
  'book.condition': 'Condition',
  'book.condition.fine': 'Fine',
  'book.condition.worn': 'Worn, but complete',
  'book.section': 'On the shelf',
  'book.lend': 'Lend out',
  'book.notes': 'Notes',
})

const germanWords = {
  'shelf.one': 'Regal',
  'shelf.many': 'Regale',
  'book.one': 'Buch',
  'book.many': 'Bücher',
  'book.about': 'Alle Bücher der Bibliothek.',
  'book.title': 'Titel',
  'book.title_help': 'Wie auf dem Umschlag.',
  'book.shelf': 'Regal',
  'book.condition': 'Zustand',
  'book.condition.fine': 'Gut erhalten',
  'book.condition.worn': 'Abgenutzt, aber vollständig',
  'book.section': 'Im Regal',
  'book.lend': 'Verleihen',
  'book.notes': 'Notizen',
} satisfies Readonly<Record<keyof typeof words.texts, string>>

const shelves = resource('shelves', {
  table: 'shelves',
  permissions: [allowAny],
  pages: { names: { one: words('shelf.one'), many: words('shelf.many') } },
  fields: { id: key(), room: text() },
})

const books = resource('old-books', {
  table: 'old_books',
  permissions: [allowAny],
  title: 'Volume',
  pages: {
    names: { one: words('book.one'), many: words('book.many') },
    columns: ['title', 'pages', 'shelf', 'condition'],
    groups: { Text: ['title', 'pages'], place: { title: words('book.section'), fields: ['shelf', 'condition'] } },
    actions: { lend: { label: words('book.lend'), values: { condition: 'worn' } } },
  },
  description: words('book.about'),
  fields: {
    id: key(),
    title: text({ label: words('book.title'), help: words('book.title_help') }),
    pages: integer({ default: 1 }),
    shelf: related(shelves, { label: words('book.shelf') }),
    condition: choice(
      [
        ['fine', words('book.condition.fine')],
        ['worn', words('book.condition.worn')],
      ],
      { default: 'fine', label: words('book.condition') },
    ),
  },
  filters: { condition: true, title: ['icontains', 'not'], pages: ['gte', 'lte'], shelf: true },
  orderingFields: ['title'],
  objectViews: {
    notes: objectView({
      pageActions: { GET: { label: words('book.notes') } },
      response: { text: text() },
      handlers: { GET: () => ({ text: '' }) },
    }),
  },
})

const migrations: Migrations = {
  async '0001_books'({ schema }, { key: idType, text: textType, reference }) {
    await schema
      .createTable('shelves')
      .addColumn('id', idType)
      .addColumn('room', textType, column => column.notNull())
      .execute()
    await schema
      .createTable('old_books')
      .addColumn('id', idType)
      .addColumn('title', textType, column => column.notNull())
      .addColumn('pages', 'integer', column => column.notNull())
      .addColumn('shelf_id', reference, column => column.notNull().references('shelves.id'))
      .addColumn('condition', textType, column => column.notNull())
      .execute()
  },
}

onEachDatabase(
  () => ({
    renderers: [jsonRenderer, browsable()],
    catalogues: [words],
    languages: { de: { ...german, ...germanWords } },
    resources: [books, shelves],
  }),
  api => {
    const open = async (path: string, language: string) => {
      const headers = { accept: 'text/html', 'accept-language': language }
      return toReadableText((await api().client.get(path, { headers })).text)
    }
    // One language after the other and back: nothing that is kept for one may show in the other.
    const openBoth = async (path: string) => {
      const [english, germanPage] = [await open(path, 'en'), await open(path, 'de')]
      assert.equal(await open(path, 'en'), english)
      assert.equal(await open(path, 'de'), germanPage)
      return [english, germanPage] as const
    }
    const insert = async (condition = 'worn') => {
      const [shelf] = await api().insert('shelves', [{ room: 'A1' }])
      const [id] = await api().insert('old_books', [{ title: 'Emma', pages: 9, shelf_id: shelf, condition }])
      return { path: `/old-books/${id}/`, shelf }
    }

    test('SVC-7: lists, their filters, chips, columns and actions have the names of the language', async () => {
      await insert()
      const [english, translated] = await openBoth(
        '/old-books/?condition=worn&title__icontains=e&title__not=x&pages__gte=2',
      )
      const expected = [
        [/<h1 dir="auto">Books</, /<h1 dir="auto">Bücher</],
        [/<p class="description">All books of the library\./, /<p class="description">Alle Bücher der Bibliothek\./],
        [/<title>Books/, /<title>Bücher/],
        [/<a href="\/shelves\/"[^>]*>Shelves</, /<a href="\/shelves\/"[^>]*>Regale</],
        [/<a [^>]*href="\/old-books\/\?new">New book</, /<a [^>]*href="\/old-books\/\?new">Neu: Buch</],
        [/<span>Condition: <b>Worn, but complete</, /<span>Zustand: <b><bdi>Abgenutzt, aber vollständig</],
        [/<span>Title: contains, in any case: <b>e</, /<span>Titel: enthält, auch in anderer Schreibung: <b>e</],
        [/<span>Title: is not: <b>x</, /<span>Titel: ist nicht: <b>x</],
        [/<span>Pages: <b>at least 2</, /<span>Pages: <b>mindestens 2</],
        [/<legend>Pages<\/legend>/, /<legend>Pages<\/legend>/],
        [/<option value="fine" *>Fine</, /<option value="fine" *>Gut erhalten</],
        [/<option value="-title" *>Title, descending</, /<option value="-title" *>Titel, absteigend</],
        [/<th scope="col"[^>]*><a [^>]*>Title</, /<th scope="col"[^>]*><a [^>]*>Titel</],
        [/<td>Worn, but complete</, /<td><bdi>Abgenutzt, aber vollständig</],
        [/<td>Shelf \d+</, /<td>Regal \d+</],
        [/ value="lend"[^>]*>Lend out…</, / value="lend"[^>]*>Verleihen…</],
      ] as const
      for (const [inEnglish, inGerman] of expected) {
        assert.match(english, inEnglish)
        assert.match(translated, inGerman)
      }
    })

    test('SVC-7: forms have the labels, help texts, choices and titles of groups of the language', async () => {
      const { path } = await insert()
      for (const url of [path, '/old-books/?new']) {
        const [english, translated] = await openBoth(url)
        const expected = [
          [/<legend>Text<\/legend>/, /<legend>Text<\/legend>/],
          [/<legend>On the shelf<\/legend>/, /<legend>Im Regal<\/legend>/],
          [/<label for="\w+-title">Title /, /<label for="\w+-title">Titel /],
          [
            /<p class="help" id="\w+-title-help">As on the cover\.</,
            /<p class="help" id="\w+-title-help">Wie auf dem Umschlag\.</,
          ],
          [/<option value="worn" *(?:selected)?>Worn, but/, /<option value="worn" *(?:selected)?>Abgenutzt, aber/],
          // the fields of the console
          [/<p>Title: As on the cover\.|<p>As on the cover\./, /<p>Titel: Wie auf dem Umschlag\./],
          [/worn \(Worn, but complete\)/, /worn \(Abgenutzt, aber vollständig\)/],
        ] as const
        for (const [inEnglish, inGerman] of expected) {
          assert.match(english, inEnglish, url)
          assert.match(translated, inGerman, url)
        }
      }
    })

    test('SVC-7: objects, their actions, views, breadcrumbs and errors have the names of the language', async () => {
      const { path, shelf } = await insert('fine')
      const [english, translated] = await openBoth(path)
      for (const page of [english, translated]) assert.match(page, /<h1 dir="auto">Emma</)
      assert.match(translated, /<li><a href="\/old-books\/"><bdi>Bücher</)
      assert.match(translated, /<a class="button" href="\/old-books\/\d+\/notes\/">Notizen</)
      assert.match(await open(`${path}?action=lend`, 'de'), /Verleihen/)
      assert.match(await open(`${path}notes/`, 'de'), /<h1 dir="auto">Notizen</)
      assert.match(await open(`${path}?delete`, 'de'), /<h1 dir="auto">Emma löschen\?/)
      assert.match(await open(`/shelves/${shelf}/`, 'de'), /<h2 id="[^"]*">Bücher </)
      assert.match(
        await open('/old-books/?condition=fine&title__icontains=zzz', 'de'),
        /Bücher: Nichts passt zu diesen/,
      )
      const missing = await open('/old-books/777777/', 'de')
      assert.match(missing, /<a [^>]*href="\/old-books\/"[^>]*>.*Bücher/)
    })

    test('SVC-7: the reference translates names and its own texts; the document stays English', async () => {
      const [english, translated] = await openBoth('/docs/old-books/')
      const expected = [
        [/<h1 dir="auto">Books</, /<h1 dir="auto">Bücher</],
        [/All books of the library\./, /Alle Bücher der Bibliothek\./],
        [/>List old books </, />Bücher auflisten </],
        [/>Retrieve volume </, />Buch lesen </],
        [/>Volume: Notes </, />Buch: Notizen </],
        [/<p>As on the cover\.<\/p>/, /<p>Titel: Wie auf dem Umschlag\.<\/p>/],
        [/<code>worn<\/code> Worn, but/, /<code>worn<\/code> Abgenutzt, aber/],
        [/<p>Title: contains, in any case/, /<p>Titel: enthält, auch in anderer Schreibung/],
        [/<b class="status">200<\/b> The items of the list\./, /<b class="status">200<\/b> Die Einträge der Liste\./],
        [/The order of the items; `-` for descending\./, /Die Reihenfolge der Einträge; `-` für absteigend\./],
      ] as const
      for (const [inEnglish, inGerman] of expected) {
        assert.match(english, inEnglish)
        assert.match(translated, inGerman)
      }
      assert.match(await open('/docs/?q=abgenutzt', 'de'), /<a href="\/docs\/old-books\/#field-condition">/)
      const headers = { 'accept-language': 'de' }
      const document = await api().client.get('/openapi.json', { headers })
      assert.equal(document.text, (await api().client.get('/openapi.json')).text)
      const { title, condition } = document.json().components.schemas.VolumeCreate.properties
      assert.deepEqual([title.title, title.description], ['Title', 'As on the cover.'])
      assert.deepEqual(condition['x-enum-descriptions'], ['Fine', 'Worn, but complete'])
      const tags: readonly Record<string, unknown>[] = document.json().tags
      assert.equal(tags.find(({ name }) => name === 'old-books')!['x-displayName'], 'Books')
    })

    test('SVC-7: JSON and OPTIONS are the same in every language', async () => {
      const { path } = await insert()
      for (const method of ['GET', 'OPTIONS'] as const) {
        const send = (language: string) =>
          api().client.request(method, path, { headers: { accept: 'application/json', 'accept-language': language } })
        const [english, translated] = [await send('en'), await send('de')]
        assert.equal(translated.text, english.text)
        assert.doesNotMatch(String(translated.headers.vary), /Language/)
      }
      const { actions } = (await api().client.request('OPTIONS', '/old-books/')).json()
      assert.equal(actions.POST.title.label, 'Title')
      assert.deepEqual(actions.POST.condition.choices[1], { value: 'worn', display_name: 'Worn, but complete' })
    })
  },
  { migrations },
)
