import type { Migrations } from 'resource-api'

export const migrations: Migrations = {
  async '0001_conduit'({ schema }, { key, reference, text, dateTime }) {
    await schema
      .createTable('users')
      .addColumn('id', key)
      .addColumn('username', text, column => column.notNull().unique())
      .addColumn('email', text, column => column.notNull().unique())
      .addColumn('password_hash', text, column => column.notNull())
      .addColumn('bio', text)
      .addColumn('image', text)
      .execute()
    await schema
      .createTable('follows')
      .addColumn('follower_id', reference, column => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('followed_id', reference, column => column.notNull().references('users.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('follows_key', ['follower_id', 'followed_id'])
      .execute()
    await schema
      .createTable('articles')
      .addColumn('id', key)
      .addColumn('slug', text, column => column.notNull().unique())
      .addColumn('title', text, column => column.notNull())
      .addColumn('description', text, column => column.notNull())
      .addColumn('body', text, column => column.notNull())
      .addColumn('author_id', reference, column => column.notNull().references('users.id'))
      .addColumn('created_at', dateTime, column => column.notNull())
      .addColumn('updated_at', dateTime, column => column.notNull())
      .execute()
    await schema
      .createTable('article_tags')
      .addColumn('article_id', reference, column => column.notNull().references('articles.id').onDelete('cascade'))
      .addColumn('tag', text, column => column.notNull())
      .addPrimaryKeyConstraint('article_tags_key', ['article_id', 'tag'])
      .execute()
    await schema
      .createTable('favorites')
      .addColumn('user_id', reference, column => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('article_id', reference, column => column.notNull().references('articles.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('favorites_key', ['user_id', 'article_id'])
      .execute()
    await schema
      .createTable('comments')
      .addColumn('id', key)
      .addColumn('article_id', reference, column => column.notNull().references('articles.id').onDelete('cascade'))
      .addColumn('author_id', reference, column => column.notNull().references('users.id'))
      .addColumn('body', text, column => column.notNull())
      .addColumn('created_at', dateTime, column => column.notNull())
      .addColumn('updated_at', dateTime, column => column.notNull())
      .execute()
    await schema.createIndex('articles_created').on('articles').columns(['created_at', 'id']).execute()
    await schema.createIndex('articles_author').on('articles').column('author_id').execute()
    await schema.createIndex('article_tags_tag').on('article_tags').column('tag').execute()
    await schema.createIndex('favorites_article').on('favorites').column('article_id').execute()
    await schema.createIndex('comments_article').on('comments').column('article_id').execute()
  },
}
