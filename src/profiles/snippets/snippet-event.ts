/** The event that an audit log keeps where the staff changes a snippet. */
export const snippetEvent = 'snippet changed'
