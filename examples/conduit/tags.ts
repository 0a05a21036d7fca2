import { list, text, view } from 'resource-api'

/** GET /tags: the tags of all articles. */
export const tags = view({
  name: 'Tags',
  response: { tags: list({ of: text() }) },
  handlers: {
    async GET({ database: { kysely } }) {
      const rows = await kysely.selectFrom('article_tags').select('tag').distinct().orderBy('tag').execute()
      return { tags: rows.map(({ tag }) => tag) }
    },
  },
})
