/** The text with ASCII letters in lower case, as `lower` of SQL returns it on both databases. */
export const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, letters => letters.toLowerCase())
