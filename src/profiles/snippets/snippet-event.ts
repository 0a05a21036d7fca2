/** The audit event of a snippet that staff changes or deletes. */
export const snippetEvent = 'snippet changed'
