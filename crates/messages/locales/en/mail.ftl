### Mail to those who may decide what waits.

mail-subject = Waiting for you: { $what }
mail-asks = { $who } asks for something that you may decide.
mail-more = … and { $n } more
mail-since = Since { $at }
mail-until = Until { $at }
mail-no-end = Until somebody decides
mail-open = Look at it and decide
mail-opens-for = The link asks you to sign in. Passing it on lets nobody decide who may not.
mail-once = This mail comes once. If somebody else was faster, the page says so.
