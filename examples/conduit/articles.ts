// Articles with their tags, favorites and comments. Everyone reads them; authors change and delete what they wrote.

import {
  authenticated,
  authenticatedOrReadOnly,
  list,
  nested,
  ownerOrReadOnly,
  readOnly,
  text,
  ValidationError,
} from 'resource-api'
import { caller, count, exists, value, where } from 'resource-api/tables'
import { callerRowView } from './caller-rows.ts'
import { taken } from './errors.ts'
import { articleTable, commentTable, resource } from './tables.ts'
import { profiles } from './users.ts'

const tagList = { table: 'article_tags', own: 'article_id', other: 'tag' }
const author = nested({ of: profiles, column: 'author_id' })

/** GET /articles/feed lists the articles of the users that the caller follows. */
export const articles = resource('articles', {
  table: articleTable,
  lookup: 'slug',
  wire: 'camelCase',
  fields: {
    slug: readOnly(articleTable.columns.slug),
    ...articleTable.pick('title', 'description', 'body'),
    tag_list: list({ of: text({ max: 50 }), rows: tagList, max: 50, default: [] }),
    ...articleTable.pick('created_at', 'updated_at'),
    favorited: exists('favorites', { user: caller('id') }),
    favorites_count: count('favorites'),
    author,
  },
  ordering: ['-created_at'],
  filters: {
    tag: where({ 'tags.tag': value(text()) }),
    author: where({ 'author.username': value(text()) }),
    favorited: where({ 'favorites.user.username': value(text()) }),
  },
  envelope: { one: 'article', many: { results: 'articles', count: 'articlesCount', next: null, previous: null } },
  put: 'partial',
  permissions: [authenticatedOrReadOnly, ownerOrReadOnly('author_id')],
  hookColumns: ['slug'],
  // The slug follows the title, and no other article may have it.
  async beforeSave({ key, values: { title }, connection: { kysely } }) {
    const slug = formatSlug(title)
    const found = await kysely.selectFrom('articles').select('id').where('slug', '=', slug).executeTakeFirst()
    if (found !== undefined && found.id !== key) throw new ValidationError({ title: taken }, 'unique')
    return { slug }
  },
  objectViews: { favorite: callerRowView({ table: 'favorites', user: 'user_id', object: 'article_id' }) },
  lists: { feed: { permissions: [authenticated], rows: { 'author.followers': { follower: caller('id') } } } },
})

/** Returns the letters and digits of a title in lower case, with hyphens between the words. */
const formatSlug = (title: string): string =>
  title
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[^\p{Letter}\p{Mark}\p{Number}]+/gu, '-')
    .replace(/^-|-$/g, '')

/** GET and POST /articles/about-tea/comments, and DELETE /articles/about-tea/comments/3. */
export const comments = resource('comments', {
  table: commentTable,
  wire: 'camelCase',
  fields: { ...commentTable.pick('id', 'created_at', 'updated_at', 'body'), author },
  actions: ['list', 'create', 'destroy'],
  nestedUnder: [{ parent: articles, column: 'article_id', only: true }],
  envelope: { one: 'comment', many: 'comments' },
  pagination: null,
  permissions: [authenticatedOrReadOnly, ownerOrReadOnly('author_id')],
})
