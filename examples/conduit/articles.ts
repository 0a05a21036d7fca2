// Articles with their tags, favorites and comments. Everyone reads them; authors change and delete what they wrote.

import { sql } from 'kysely'
import {
  authenticated,
  authenticatedOrReadOnly,
  boolean,
  dateTime,
  integer,
  key,
  list,
  nested,
  ownerOrReadOnly,
  readOnly,
  text,
  ValidationError,
} from 'resource-api'
import { callerRowView } from './caller-rows.ts'
import { taken } from './errors.ts'
import { computed, filter, resource } from './tables.ts'
import { profiles } from './users.ts'

const tagList = { table: 'article_tags', own: 'article_id', other: 'tag' }

/** GET /articles/feed lists the articles of the users that the caller follows. */
export const articles = resource('articles', {
  table: 'articles',
  lookup: 'slug',
  wire: 'camelCase',
  fields: {
    slug: readOnly(text({ max: 255, unique: taken })),
    title: text({
      max: 255,
      pattern: { test: /[\p{Letter}\p{Number}]/u, message: 'must contain a letter or a digit' },
    }),
    description: text({ max: 1000 }),
    body: text({ max: 100_000, multiline: true }),
    tag_list: list({ of: text({ max: 50 }), rows: tagList, max: 50, default: [] }),
    created_at: readOnly(dateTime()),
    updated_at: readOnly(dateTime()),
    favorited: computed(
      boolean(),
      ({ row, caller }) =>
        sql`exists (select 1 from favorites where user_id = ${caller.id} and article_id = ${row.id})`,
    ),
    favorites_count: computed(
      integer(),
      ({ row }) => sql`(select count(*) from favorites where article_id = ${row.id})`,
    ),
    author: nested({ of: profiles, column: 'author_id' }),
  },
  ordering: ['-created_at'],
  filters: {
    tag: filter(
      text(),
      ({ row, value }) => sql`exists (select 1 from article_tags where article_id = ${row.id} and tag = ${value})`,
    ),
    author: filter(
      text(),
      ({ row, value }) => sql`${row.author_id} = (select id from users where username = ${value})`,
    ),
    favorited: filter(
      text(),
      ({ row, value }) => sql`exists (select 1 from favorites join users on users.id = user_id
        where article_id = ${row.id} and username = ${value})`,
    ),
  },
  envelope: { one: 'article', many: { results: 'articles', count: 'articlesCount', next: null, previous: null } },
  put: 'partial',
  permissions: [authenticatedOrReadOnly, ownerOrReadOnly('author_id')],
  hookColumns: ['slug', 'author_id', 'created_at', 'updated_at'],
  prepare: ({ action, user, now }) => ({
    updated_at: now,
    ...(action === 'create' && { author_id: user.id, created_at: now }),
  }),
  // The slug follows the title, and no other article may have it.
  async beforeSave({ key, values: { title }, connection: { kysely } }) {
    const slug = formatSlug(title)
    const found = await kysely.selectFrom('articles').select('id').where('slug', '=', slug).executeTakeFirst()
    if (found !== undefined && found.id !== key) throw new ValidationError({ title: taken }, 'unique')
    return { slug }
  },
  objectViews: { favorite: callerRowView({ table: 'favorites', user: 'user_id', object: 'article_id' }) },
  lists: {
    feed: {
      permissions: [authenticated],
      rows: ({ row, caller }) =>
        sql`${row.author_id} in (select followed_id from follows where follower_id = ${caller.id})`,
    },
  },
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
  table: 'comments',
  wire: 'camelCase',
  fields: {
    id: key(),
    created_at: readOnly(dateTime()),
    updated_at: readOnly(dateTime()),
    body: text({ max: 10_000, multiline: true }),
    author: nested({ of: profiles, column: 'author_id' }),
  },
  actions: ['list', 'create', 'destroy'],
  nestedUnder: [{ parent: articles, column: 'article_id', only: true }],
  envelope: { one: 'comment', many: 'comments' },
  pagination: null,
  permissions: [authenticatedOrReadOnly, ownerOrReadOnly('author_id')],
  hookColumns: ['article_id', 'author_id', 'created_at', 'updated_at'],
  prepare: ({ user, now }) => ({ author_id: user.id, created_at: now, updated_at: now }),
})
