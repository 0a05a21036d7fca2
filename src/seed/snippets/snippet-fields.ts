import { boolean, choice, key, text, via } from 'resource-api'
import { languages } from './highlighting/languages.ts'
import { styles } from './highlighting/styles.ts'
import { snippetMessages } from './messages.ts'

/** The fields of a snippet, also used to load data files. */
export const snippetFields = ({ codeLimit }: { /** In characters. */ readonly codeLimit: number }) => ({
  id: key(),
  owner: text({ source: via('owner_id', 'users', 'username'), label: snippetMessages('snippets.label.owner') }),
  title: text({ max: 100, blank: true, default: '', label: snippetMessages('snippets.label.title') }),
  code: text({
    max: codeLimit,
    trim: false,
    whitespaceOnly: false,
    multiline: true,
    label: snippetMessages('snippets.label.code'),
  }),
  linenos: boolean({ default: false, label: snippetMessages('snippets.label.linenos') }),
  language: choice(languages.keys(), { default: 'python', label: snippetMessages('snippets.label.language') }),
  style: choice(styles.keys(), { default: 'friendly', label: snippetMessages('snippets.label.style') }),
})
