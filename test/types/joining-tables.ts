// Conditions through joining tables, and properties of the caller in them, as the compiler checks them.

import { boolean, forTypes, type Identity, key, text } from 'resource-api'
import { caller, reference, table, tables, through } from 'resource-api/tables'

const articles = table('articles', {
  columns: { id: key(), title: text(), open: boolean() },
  many: { tags: through('article_tags') },
})
const tags = table('tags', { columns: { id: key(), name: text() } })
const joins = table('article_tags', {
  key: ['article', 'tag'],
  columns: { article: reference('articles'), tag: reference('tags') },
})
const schema = tables({ owner: 'x', tables: [articles, tags, joins] })
interface Me extends Identity {
  readonly isBoss: boolean
  readonly tenant: string
}
const { resource, count, exists } = forTypes<Me, typeof schema>()

export const named = resource('articles', {
  table: articles,
  rows: { 'tags.name': 'x', or: [caller('isBoss'), { tags: { name__in: ['a'] } }], not: caller('isBoss') },
  fields: { ...articles.pick('id'), tags: count('tags'), tagged: exists('tags', { name: 'y' }) },
})

export const wrongColumn = resource('articles', {
  table: articles,
  // @ts-expect-error: tags have no such column
  rows: { 'tags.nme': 'x' },
  fields: articles.pick('id'),
})

export const wrongProperty = resource('articles', {
  table: articles,
  // @ts-expect-error: the property is no boolean
  rows: { or: [caller('tenant')] },
  fields: articles.pick('id'),
})

export const wrongRelated = resource('articles', {
  table: articles,
  // @ts-expect-error: tags have no such column
  fields: { ...articles.pick('id'), tagged: exists('tags', { nme: 'y' }) },
})
