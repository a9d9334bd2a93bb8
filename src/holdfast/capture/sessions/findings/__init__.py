"""What a session taught: findings, read from its turns by rule.

    prose → reading → acts → extract → summarise

Pure: nothing here knows a store or a clock. What must be remembered from one turn to the next is either the turns
themselves or the findings made of them, so extraction can stop anywhere and go on later with the same result.
"""
