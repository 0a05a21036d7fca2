import { step } from '../../database/migrations/declared-step.ts'
import type { LoadedMigrations } from '../../database/migrations/migrations.ts'

/** The migrations of the table that resources with `feed: true` need. */
export const feedMigrations: LoadedMigrations = {
  owner: 'feeds',
  steps: {
    '0001_changes': step({
      change: [
        {
          createTable: 'feed_changes',
          columns: {
            id: 'key',
            table_name: 'text',
            /** The key as JSON. */
            row_key: 'text',
            action: 'text',
            former: { type: 'json', nullable: true },
            moment: { sqlite: 'bigint', postgres: 'bigint' },
            created_at: 'dateTime',
          },
          indexes: {
            feed_changes_moment_id: { columns: ['moment', 'id'] },
            feed_changes_table_name_moment_id: { columns: ['table_name', 'moment', 'id'] },
            feed_changes_created_at: { columns: ['created_at'] },
            feed_changes_id: { columns: ['id'], where: '"action" = \'expired\'' },
          },
        },
      ],
    }),
  },
}
