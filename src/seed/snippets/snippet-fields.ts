import { text, via } from 'resource-api'
import { snippetMessages } from './messages.ts'
import { snippetTable } from './snippet-table.ts'

/** The fields of a snippet, also used to load data files. */
export const snippetFields = ({ codeLimit }: { /** In characters. */ readonly codeLimit: number }) => ({
  ...snippetTable.pick('id'),
  owner: text({ source: via('owner_id', 'users', 'username'), label: snippetMessages('snippets.label.owner') }),
  ...snippetTable.pick('title'),
  code: text({
    max: codeLimit,
    trim: false,
    whitespaceOnly: false,
    multiline: true,
    label: snippetMessages('snippets.label.code'),
  }),
  ...snippetTable.pick('linenos', 'language', 'style'),
})
