import type { Database, ViewOptions } from 'resource-api'

/** GET /tags: all tags of all articles. */
export const tags = ({ kysely }: Database): ViewOptions => ({
  name: 'Tags',
  handlers: {
    async GET() {
      const rows = await kysely.selectFrom('article_tags').select('tag').distinct().orderBy('tag').execute()
      return { status: 200, body: { tags: rows.map(({ tag }) => tag) } }
    },
  },
})
