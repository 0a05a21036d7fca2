// The tables of Conduit, and the functions that declare resources of these tables.

import { type Anonymous, email, forTypes, type Identity, key, text, url } from 'resource-api'
import { created, owner, reference, table, tables, updated } from 'resource-api/tables'
import { taken } from './errors.ts'

export const accounts = table('users', {
  columns: {
    id: key(),
    username: text({ max: 100, unique: taken }),
    email: email({ max: 254, unique: taken }),
    password_hash: text(),
    bio: text({ max: 2000, multiline: true, nullable: true, blank: true }),
    image: url({ max: 2000, nullable: true, blank: true }),
  },
})

const follows = table('follows', {
  key: ['follower', 'followed'],
  columns: {
    follower: reference('users', { onDelete: 'cascade', relatedName: 'follows' }),
    followed: reference('users', { onDelete: 'cascade', relatedName: 'followers' }),
  },
})

export const articleTable = table('articles', {
  columns: {
    id: key(),
    slug: text({ max: 255, unique: taken }),
    title: text({
      max: 255,
      pattern: { test: /[\p{Letter}\p{Number}]/u, message: 'must contain a letter or a digit' },
    }),
    description: text({ max: 1000 }),
    body: text({ max: 100_000, multiline: true }),
    author: owner('users'),
    created_at: created(),
    updated_at: updated(),
  },
  indexes: [['created_at', 'id'], ['author']],
})

const articleTags = table('article_tags', {
  key: ['article', 'tag'],
  columns: { article: reference('articles', { onDelete: 'cascade', relatedName: 'tags' }), tag: text({ max: 50 }) },
  indexes: [['tag']],
})

const favorites = table('favorites', {
  key: ['user', 'article'],
  columns: {
    user: reference('users', { onDelete: 'cascade' }),
    article: reference('articles', { onDelete: 'cascade' }),
  },
  indexes: [['article']],
})

export const commentTable = table('comments', {
  columns: {
    id: key(),
    article: reference('articles', { onDelete: 'cascade' }),
    author: owner('users'),
    body: text({ max: 10_000, multiline: true }),
    created_at: created(),
    updated_at: updated(),
  },
  indexes: [['article']],
})

export const schema = tables({
  owner: 'conduit',
  tables: [accounts, follows, articleTable, articleTags, favorites, commentTable],
})

/** A registered user who sent a token. */
export interface Member extends Identity {
  readonly isAuthenticated: true
  readonly isActive: true
  readonly id: number
}

export type Caller = Member | Anonymous

export const { resource, listView, computed } = forTypes<Caller, typeof schema>()
