// The tables of Conduit as Kysely describes them, and the functions that declare resources of these tables.

import { type Anonymous, forTypes, type Identity } from 'resource-api'

export interface Tables {
  users: {
    id: number
    username: string
    email: string
    password_hash: string
    bio: string | null
    image: string | null
  }
  follows: { follower_id: number; followed_id: number }
  articles: {
    id: number
    slug: string
    title: string
    description: string
    body: string
    author_id: number
    created_at: string
    updated_at: string
  }
  article_tags: { article_id: number; tag: string }
  favorites: { user_id: number; article_id: number }
  comments: { id: number; article_id: number; author_id: number; body: string; created_at: string; updated_at: string }
}

/** A registered user who sent a token. */
export interface Member extends Identity {
  readonly isAuthenticated: true
  readonly isActive: true
  readonly id: number
}

export type Caller = Member | Anonymous

export const { resource, listView, computed, filter, rowFilter } = forTypes<Caller, Tables>()
