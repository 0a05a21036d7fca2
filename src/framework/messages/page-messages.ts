// The English words of the HTML pages. They are chosen, replaced and translated like the texts of errors.

import { defineMessages, type TranslationOf } from './catalogue.ts'

/** Creates a text of the pages. */
export const pageMessages = defineMessages({
  // the frame
  'page.skip': 'Skip to content',
  'page.menu': 'Menu',
  'page.site': 'Site',
  'page.reference': 'Reference',
  'page.links': 'Links',
  'page.breadcrumbs': 'Breadcrumbs',
  'page.home': 'Home',
  'page.account': 'Account of {name}',
  'page.log_in': 'Log in',
  'page.log_out': 'Log out',
  'page.my_tokens': 'My tokens',
  'page.my_sessions': 'My sessions',
  'page.my_password': 'My password',
  'page.actions': 'Actions',
  'page.request': 'Request',
  'page.response': 'Response',
  'page.body': 'Body',
  'page.copy': 'Copy',
  'page.copied': 'Copied',
  // finding
  'page.find': 'Find',
  'page.find_hint': 'Find a page or an object',
  'page.found': 'Results for “{text}”',
  'page.found_pages': 'Pages',
  'page.found_none': 'Nothing matches “{text}”.',
  'page.found_none_hint': 'Search for the beginning of a word, or choose a list in the menu.',
  'page.found_all': 'All results in {list}',
  'page.find_empty': 'Type the name of a page, or a word of an object that you look for.',
  // the login
  'page.username': 'Username',
  'page.password': 'Password',
  'page.wrong_credentials':
    'Please enter a correct username and password. Note that both fields may be case-sensitive.',
  'page.error': 'Error',
  'page.login_reason': 'Log in to open this page.',
  'page.login_failed': 'The credentials of the request are wrong: {detail}',
  // errors
  'page.forbidden': 'You may not open this page',
  'page.forbidden_method': 'You may not do this',
  'page.forbidden_reason': 'You are logged in as {name}.',
  'page.who_may': 'Who may: {who}.',
  'page.who_staff': 'staff',
  'page.who_superuser': 'superusers',
  'page.who_owner': 'the owner',
  'page.who_granted': 'users with the permission {permission}, and superusers',
  'page.other_user': 'Log in as another user',
  'page.not_found': 'There is nothing here',
  'page.not_found_reason': 'No page or object has the address {path}. It may have been moved or deleted.',
  'page.nearest': 'Did you mean {name}?',
  'page.up': 'Go to {name}',
  'page.method': '{name} cannot be opened',
  'page.method_reason': 'This address takes {methods} only.',
  'page.throttled': 'Too many requests',
  'page.throttled_reason': 'You can try again in {seconds} seconds, at {time} UTC.',
  'page.throttled_over': 'You can try again now.',
  'page.try_again': 'Try again',
  'page.server_error': 'Something went wrong',
  'page.server_error_reason': 'The mistake is ours, and it has been recorded. If it happens again, report this number:',
  'page.unavailable': 'Not available at the moment',
  'page.bad_request': 'The request was not understood',
  'page.failed': 'The request failed',
  // lists
  'page.empty': 'Nothing to show here.',
  'page.new': 'New {name}',
  'page.active_filters': 'Active filters',
  'page.remove_filter': 'Remove the filter {name}',
  'page.ignored': 'This list has no such filters, and ignores them:',
  'page.total': 'Total: {count}',
  'page.total_more': 'Total: more than {count}',
  'page.range': '{first}–{last} of {count}',
  'page.range_more': '{first}–{last} of more than {count}',
  // objects
  'page.save': 'Save',
  'page.edit': 'Edit',
  'page.create': 'Create',
  'page.change': '1 field changed',
  'page.changes': '{count} fields changed',
  'page.too_large': 'This object is too large to be edited here.',
  'page.field_too_large': '{name} is too large to be edited here. The panel with the request has all of it.',
  'page.now': 'Others have saved:',
  'page.conflict':
    'Somebody has changed this object since you opened it. Your input is below, with what they have saved. Save again to keep yours.',
  'page.saved': 'Saved.',
  'page.deleted': 'Deleted.',
  'page.delete': 'Delete…',
  'page.delete_now': 'Delete',
  'page.delete_what': 'Delete {name}?',
  'page.cancel': 'Cancel',
  'page.delete_final': 'This cannot be undone.',
  'page.delete_also': 'This also deletes:',
  'page.delete_changes': 'These stay, and no longer refer to it:',
  'page.delete_prevented': 'It cannot be deleted, because these refer to it:',
  'page.delete_files': '{count} files of the object itself',
  'page.more_than': 'more than {count}',
  'page.history': 'History',
  'page.all_history': 'All changes',
  'page.somebody': 'Somebody',
  // actions
  'page.done': 'Done.',
  'page.again': '{name}, again',
  'page.once': 'Copy it now. It is not shown again.',
  // home pages
  'page.no_resources': 'There is nothing here that you may open.',
  'page.getting_started': 'Getting started',
  'page.every_url': 'Every address is a page for people, and JSON for programs.',
})

/** The key of a text of the pages. */
export type PageKey = keyof (typeof pageMessages)['texts']

/** All texts of the pages in one language. */
export type PageTexts = TranslationOf<typeof pageMessages>
