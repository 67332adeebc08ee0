"""A bot made with python-telegram-bot, which knows nothing of the fake but its address.

It answers every message with a card, answers each press and edits the card, and ends when the card was pressed twice.
Run by tests/peers.rs.
"""

import sys

from telegram import ForceReply, InlineKeyboardButton, InlineKeyboardMarkup, ReplyParameters, Update
from telegram.error import BadRequest
from telegram.ext import Application, CallbackQueryHandler, ContextTypes, MessageHandler, filters

BASE, TOKEN = sys.argv[1], sys.argv[2]
PRESSES = []


async def started(app: Application) -> None:
    me = await app.bot.get_me()
    assert me.username == "maro_bot" and me.is_bot, me
    await app.bot.set_my_commands([("help", "What I can do")])
    assert (await app.bot.get_my_commands())[0].command == "help"
    assert (await app.bot.get_webhook_info()).url == ""


async def heard(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    keyboard = InlineKeyboardMarkup([[InlineKeyboardButton("Go", callback_data="go")]])
    answer = await update.effective_message.reply_text(
        f"<b>You said</b> {update.effective_message.text}",
        parse_mode="HTML",
        reply_markup=keyboard,
        reply_parameters=ReplyParameters(update.effective_message.message_id, allow_sending_without_reply=True),
    )
    assert answer.text == f"You said {update.effective_message.text}", answer
    assert answer.entities[0].type == "bold" and answer.reply_to_message is not None, answer
    for wrong, why in (("<nope>", "can't parse entities"), ("x" * 5000, "too long")):
        try:
            await context.bot.send_message(update.effective_chat.id, wrong, parse_mode="HTML")
            raise AssertionError(f"{wrong[:10]} was taken")
        except BadRequest as error:
            assert why in str(error).lower(), error
    await context.bot.send_message(update.effective_chat.id, "And?", reply_markup=ForceReply(selective=True))


async def pressed(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    query = update.callback_query
    PRESSES.append(query.data)
    await query.answer(text="Working", show_alert=len(PRESSES) > 1)
    if len(PRESSES) == 1:
        await query.edit_message_text("Gone", reply_markup=query.message.reply_markup)
        try:
            await query.edit_message_text("Gone", reply_markup=query.message.reply_markup)
            raise AssertionError("the same twice was taken")
        except BadRequest as error:
            assert "message is not modified" in str(error).lower(), error
    else:
        await query.edit_message_text("Done")
        context.application.stop_running()


app = Application.builder().token(TOKEN).base_url(f"{BASE}/bot").post_init(started).build()
app.add_handler(MessageHandler(filters.TEXT, heard))
app.add_handler(CallbackQueryHandler(pressed))
app.run_polling(timeout=2, poll_interval=0.0)
assert PRESSES == ["go", "go"], PRESSES
